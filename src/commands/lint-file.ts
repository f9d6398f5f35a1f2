import { checkObject } from "../manifests/check-object.ts";
import { readManifestFile } from "../manifests/manifest-file.ts";
import type { ManifestDocument } from "../manifests/manifest-file.ts";
import { objectsIn } from "../manifests/manifest-object.ts";

/** One problem as `lint --output json` shows it. Kind, namespace and name are `""` where they are not known. */
export interface LintProblem {
  readonly file: string;
  readonly line?: number;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly route?: string;
  readonly field: string;
  /** `null` where something is missing. */
  readonly value: unknown;
  readonly message: string;
}

/** What is no problem, and may not be what was meant. */
export type LintNotice = Pick<LintProblem, "file" | "line" | "kind" | "namespace" | "name" | "message">;

export interface LintedFile {
  /** Objects, whatever their kind. */
  readonly objects: number;
  readonly declarations: number;
  /** Declarations that are valid where the configuration has `defaults.host`. */
  readonly hostless: number;
  readonly problems: readonly LintProblem[];
  readonly notices: readonly LintNotice[];
}

const nothing: LintedFile = { objects: 0, declarations: 0, hostless: 0, problems: [], notices: [] };

/** Judges every document of a file's text; `file` is what the file is called. */
export function lintFile(file: string, text: string): LintedFile {
  const documents = readManifestFile(text).map((document) => lintDocument(file, document));
  return {
    objects: documents.reduce((sum, { objects }) => sum + objects, 0),
    declarations: documents.reduce((sum, { declarations }) => sum + declarations, 0),
    hostless: documents.reduce((sum, { hostless }) => sum + hostless, 0),
    problems: documents.flatMap(({ problems }) => problems),
    notices: documents.flatMap(({ notices }) => notices),
  };
}

function lintDocument(file: string, document: ManifestDocument): LintedFile {
  if (document.faults.length > 0) {
    const problems = document.faults.map(({ line, column, message }) =>
      documentProblem(file, line, `it is neither YAML nor JSON, column ${column}: ${message}`),
    );
    return { ...nothing, problems };
  }
  if (document.value === undefined) return nothing;
  const objects = objectsIn(document);
  if (objects.length === 0 && !isEmptyList(document.value)) {
    const message = "it is no Kubernetes object: a mapping with apiVersion and kind is expected";
    return { ...nothing, problems: [documentProblem(file, document.lineOf([]), message)] };
  }
  const checked = objects.map((object) => ({ object, ...checkObject(object) }));
  const problems = checked.flatMap(({ object: { kind, namespace, name }, problems: found }) =>
    found.map(({ line, route, field, value = null, message }) => {
      const named = route === undefined ? {} : { route };
      return { file, line, kind, namespace, name, ...named, field, value, message };
    }),
  );
  const notices = checked.flatMap(({ object: { kind, namespace, name }, notices: found }) =>
    found.map(({ line, message }) => ({ file, line, kind, namespace, name, message })),
  );
  const declarations = checked.reduce((sum, { declarations: count }) => sum + count, 0);
  const hostless = checked.reduce((sum, { hostless: count }) => sum + count, 0);
  return { objects: objects.length, declarations, hostless, problems, notices };
}

const documentProblem = (file: string, line: number, message: string): LintProblem => ({
  file,
  line,
  kind: "",
  namespace: "",
  name: "",
  field: "",
  value: null,
  message,
});

const isEmptyList = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "items" in value && Array.isArray(value.items);
