import { enabledLabel, pausedAnnotation, routesAnnotation } from "../declare/names.ts";
import { nearest } from "../declare/nearest.ts";
import { parseRoutes } from "../declare/parse.ts";
import { makeProblem } from "../declare/problem.ts";
import type { Problem } from "../declare/problem.ts";
import { isObject } from "../declare/read-value.ts";
import { portProblems } from "./declared-ports.ts";
import type { Path } from "./manifest-file.ts";
import type { ManifestObject, ManifestSource } from "./manifest-object.ts";

/** `line`, from 1, is that of the annotation or label that is wrong. */
type ManifestProblem = Problem & { readonly line: number };

export interface CheckedObject {
  /** Entries of the annotation, good and bad; an annotation that cannot be read counts as one. */
  readonly declarations: number;
  /** Those that are valid and name no host. */
  readonly hostless: number;
  readonly problems: readonly ManifestProblem[];
  /** What is right, and may not be what was meant. */
  readonly notices: readonly ManifestNotice[];
}

interface ManifestNotice {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

const domain = "apisix-translator.io";
/** A shorter domain that ours begins with is more likely another's. */
const shortestNear = "apisix-trans".length;

/** Judges everything in one object that can be known without a cluster and without the translator's configuration. */
export function checkObject(object: ManifestObject): CheckedObject {
  const { document, source } = object;
  const at = (path: Path, problems: readonly Problem[]): ManifestProblem[] => {
    const line = document.lineOf(path);
    return problems.map((problem) => ({ ...problem, line }));
  };
  const misplaced = misplacedKeys(object).map(({ path, problem }) => at(path, [problem]));
  if (source === undefined) return { declarations: 0, hostless: 0, problems: misplaced.flat(), notices: [] };

  const labels = metadataOf(source, "labels");
  const annotations = metadataOf(source, "annotations");
  const read = Object.hasOwn(annotations, routesAnnotation) ? readRoutes(source) : undefined;
  const routesPath = pathOf(source, "annotations", routesAnnotation);
  const problems = [
    ...misplaced.flat(),
    ...at(routesPath, read?.problems ?? []),
    ...at(
      Object.hasOwn(labels, enabledLabel) ? pathOf(source, "labels", enabledLabel) : routesPath,
      read === undefined ? [] : labelProblems(labels[enabledLabel]),
    ),
    ...at(pathOf(source, "annotations", pausedAnnotation), pausedProblems(annotations)),
    ...unknownKeys(source).flatMap(({ path, problem }) => at(path, [problem])),
  ];
  const declaresNothing = read === undefined && labels[enabledLabel] === "true" && problems.length === 0;
  const notices = declaresNothing ? [nothingDeclared(source, document)] : [];
  return { declarations: read?.declarations ?? 0, hostless: read?.hostless ?? 0, problems, notices };
}

function nothingDeclared(source: ManifestSource, document: ManifestObject["document"]): ManifestNotice {
  const message = `it carries the label ${enabledLabel} and declares nothing: the annotation ${routesAnnotation} is missing`;
  return { line: document.lineOf(pathOf(source, "labels", enabledLabel)), message };
}

function readRoutes(source: ManifestSource): Omit<CheckedObject, "problems" | "notices"> & {
  readonly problems: readonly Problem[];
} {
  const value = metadataOf(source, "annotations")[routesAnnotation];
  if (typeof value !== "string") {
    const reason = 'the value of an annotation is text; allowed is JSON behind "|" or in quotes';
    const problem = makeProblem(undefined, routesAnnotation, value, reason);
    return { declarations: 1, hostless: 0, problems: [problem] };
  }
  const annotation = parseRoutes(value, source.kind);
  if (!annotation.readable) return { declarations: 1, hostless: 0, problems: [annotation.problem] };
  const problems = annotation.entries.flatMap((entry) =>
    entry.ok ? portProblems(source, entry.declaration) : entry.problems,
  );
  const hostless = annotation.entries.filter((entry) => entry.ok && entry.declaration.hosts === undefined);
  return { declarations: annotation.entries.length, hostless: hostless.length, problems };
}

function labelProblems(value: unknown): readonly Problem[] {
  if (value === "true") return [];
  const reason = 'without it the routes are not read; allowed is "true", in quotes';
  return [makeProblem(undefined, enabledLabel, value, reason)];
}

function pausedProblems(annotations: Readonly<Record<string, unknown>>): readonly Problem[] {
  const value = annotations[pausedAnnotation];
  if (value === undefined || value === "true" || value === "false") return [];
  return [makeProblem(undefined, pausedAnnotation, value, 'only "true", in quotes, freezes routes')];
}

interface Found {
  readonly path: Path;
  readonly problem: Problem;
}

/** Our annotations where nobody reads them: on a Deployment itself, on an Ingress. */
function misplacedKeys({ kind, source, document, path }: ManifestObject): readonly Found[] {
  if (source !== undefined && source.path.length === path.length) return [];
  const own: unknown = path.reduce<unknown>(
    (value, step) => Reflect.get(Object(value), step),
    document.value,
  );
  const metadata = isObject(own) && isObject(own["metadata"]) ? own["metadata"] : {};
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const allowed =
    source === undefined
      ? "allowed are Pods, Pod templates and Services"
      : `it belongs into ${[...source.path.slice(path.length), "metadata", "annotations"].join(".")}`;
  return [routesAnnotation, pausedAnnotation].flatMap((key) => {
    if (!Object.hasOwn(annotations, key)) return [];
    const owner = kind === "" ? "an object without a kind" : `the metadata of a ${kind}`;
    const problem = makeProblem(undefined, key, annotations[key], `it is not read in ${owner}; ${allowed}`);
    return [{ path: [...path, "metadata", "annotations", key], problem }];
  });
}

/** A misspelled key would be passed over in silence. */
function unknownKeys(source: ManifestSource): readonly Found[] {
  const known = { labels: [enabledLabel], annotations: [routesAnnotation, pausedAnnotation] };
  return (["labels", "annotations"] as const).flatMap((group) => {
    const unknown = Object.entries(metadataOf(source, group)).filter(
      ([key]) => isMeantForUs(key) && !known[group].includes(key),
    );
    return unknown.map(([key, value]) => {
      const reason = `there is nothing of this name among ${group}; allowed: ${known[group].join(", ")}`;
      return { path: pathOf(source, group, key), problem: makeProblem(undefined, key, value, reason) };
    });
  });
}

/** Whether a key is of our domain, or of one that looks like a misspelling of it. */
function isMeantForUs(key: string): boolean {
  const [own = "", ...name] = key.split("/");
  if (name.length === 0) return false;
  return own === domain || (own.length >= shortestNear && nearest(own, [domain]) !== undefined);
}

function metadataOf(
  source: ManifestSource,
  group: "labels" | "annotations",
): Readonly<Record<string, unknown>> {
  const metadata = source.value["metadata"];
  const found = isObject(metadata) ? metadata[group] : undefined;
  return isObject(found) ? found : {};
}

const pathOf = ({ path }: ManifestSource, group: "labels" | "annotations", key: string): Path => [
  ...path,
  "metadata",
  group,
  key,
];
