import { isDeepStrictEqual } from "node:util";
import { enabledLabel, routesAnnotation } from "../declare/names.ts";
import { makeProblem } from "../declare/problem.ts";
import type { Problem } from "../declare/problem.ts";
import { readAnnotation } from "../declare/read-annotation.ts";
import { isObject } from "../declare/read-value.ts";
import { InvalidRoutesError } from "../sdk/invalid-routes-error.ts";
import { routesText } from "../sdk/routes-text.ts";
import { checkObject } from "./check-object.ts";
import { setText } from "./edit-text.ts";
import { readManifestFile } from "./manifest-file.ts";
import type { ManifestDocument, Path } from "./manifest-file.ts";
import { objectsIn } from "./manifest-object.ts";
import type { ManifestSource } from "./manifest-object.ts";
import { pickObject, titleOf } from "./pick-object.ts";

/** A manifest with one more (or one other) declaration, or every reason against it, one line each. */
export type Annotated =
  | {
      readonly ok: true;
      readonly text: string;
      readonly title: string;
      /** Services that could carry it too, where nobody chose. */
      readonly others: readonly string[];
    }
  | { readonly ok: false; readonly reasons: readonly string[] };

/**
 * Writes an entry of the routes annotation, and the label that opts in, into a manifest: in place of the entry of the
 * same name, else behind the others. `wanted` chooses the object (`KIND/NAME`) where several could carry it. Nothing
 * else in the text changes.
 */
export function annotateManifest(
  text: string,
  entry: Readonly<Record<string, unknown>>,
  wanted: string | undefined,
): Annotated {
  const documents = readManifestFile(text);
  const faults = documents.flatMap((document) => document.faults);
  if (faults.length > 0)
    return { ok: false, reasons: faults.map(({ line, message }) => `line ${line}: ${message}`) };
  const objects = documents.flatMap(objectsIn);
  const picked = pickObject(objects, wanted);
  if (!picked.ok) return { ok: false, reasons: [picked.reason] };
  const { source, document } = picked.object;
  const services = objects.filter((object) => object.source?.kind === "service").map(titleOf);
  if ("via" in entry && source.kind !== "service")
    return { ok: false, reasons: [viaReason(titleOf(picked.object), services)] };

  const routes = nextRoutes(source, entry, text);
  if (!routes.ok) return { ok: false, reasons: routes.problems.map(sentenceOf) };
  const edited = editAll(text, documents, documents.indexOf(document), source.path, routes.text);
  if (!edited.ok) return edited;

  const after = edited.documents.flatMap(objectsIn)[objects.indexOf(picked.object)];
  const problems = after === undefined ? [] : checkObject(after).problems;
  if (problems.length > 0) return { ok: false, reasons: problems.map(sentenceOf) };
  const others = wanted === undefined && source.kind !== "service" ? services : [];
  return { ok: true, text: edited.text, title: titleOf(picked.object), others };
}

/** The translator reads `via: endpoint` on a Pod as what it does anyway; whoever writes it means a Service. */
function viaReason(title: string, services: readonly string[]): string {
  const choose = services.length === 0 ? "" : `; choose one with --object: ${services.join(", ")}`;
  return `via is for Services alone, and this would go to ${title}${choose}`;
}

type NextRoutes =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function nextRoutes(
  source: ManifestSource,
  entry: Readonly<Record<string, unknown>>,
  file: string,
): NextRoutes {
  const metadata = isObject(source.value["metadata"]) ? source.value["metadata"] : {};
  const annotations = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const old = annotations[routesAnnotation] ?? "[]";
  if (typeof old !== "string") {
    const reason = "what stands there is no text, and cannot be added to";
    return { ok: false, problems: [makeProblem(undefined, routesAnnotation, old, reason)] };
  }
  const raw = readAnnotation(old);
  if (!raw.ok) return { ok: false, problems: [raw.problem] };
  const at = raw.entries.findIndex((each) => isObject(each) && each["name"] === entry["name"]);
  const entries = at < 0 ? [...raw.entries, entry] : raw.entries.with(at, entry);
  // JSON has no blocks of lines.
  const isJson = /^\s*[{[]/.test(file);
  try {
    const text = routesText(entries, source.kind, isJson ? "one line" : "lines");
    return { ok: true, text: isJson ? text : `${text}\n` };
  } catch (error) {
    if (error instanceof InvalidRoutesError) return { ok: false, problems: error.problems };
    throw error;
  }
}

type EditedFile =
  | { readonly ok: true; readonly text: string; readonly documents: readonly ManifestDocument[] }
  | { readonly ok: false; readonly reasons: readonly string[] };

function editAll(
  text: string,
  before: readonly ManifestDocument[],
  index: number,
  path: Path,
  routes: string,
): EditedFile {
  let edited = text;
  let expected: unknown = before[index]?.value;
  for (const [group, key, value] of [
    ["labels", enabledLabel, "true"],
    ["annotations", routesAnnotation, routes],
  ] as const) {
    const steps: Path = [...path, "metadata", group, key];
    if (valueAt(expected, steps) === value) continue;
    expected = withValue(expected, steps, value);
    const result = setText(edited, index, steps, value);
    if (!result.ok) return cannotEdit(result.reason);
    edited = result.text;
  }
  const documents = readManifestFile(edited);
  // Text was cut and joined: what it now says is compared with what it should say, everywhere.
  const right =
    documents.length === before.length &&
    documents.every(
      ({ value, faults }, at) =>
        faults.length === 0 && isDeepStrictEqual(value, at === index ? expected : before[at]?.value),
    );
  return right ? { ok: true, text: edited, documents } : cannotEdit("an anchor or its layout is in the way");
}

const cannotEdit = (reason: string): EditedFile => ({
  ok: false,
  reasons: [`label and annotation cannot be written here without changing more than them: ${reason}`],
});

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, step) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, step) : undefined),
    value,
  );
}

/** A copy with the text at `path`; what is missing on the way is made. */
function withValue(value: unknown, [step, ...below]: Path, text: string): unknown {
  if (step === undefined) return text;
  if (Array.isArray(value) && typeof step === "number")
    return value.with(step, withValue(value[step], below, text));
  const fields = isObject(value) ? value : {};
  return { ...fields, [step]: withValue(fields[step], below, text) };
}

const sentenceOf = ({ route, message }: Problem): string =>
  route === undefined ? message : `route ${route}: ${message}`;
