import type { Declaration, Share, SourceKind } from "./declaration.ts";
import { pairsOf } from "./pair.ts";
import type { Pair } from "./pair.ts";
import { makeProblem } from "./problem.ts";
import type { Problem } from "./problem.ts";
import { fieldNames, readDeclaration, readName, readShare } from "./read-declaration.ts";
import { hasTooManyPairs, readHosts, readUris } from "./read-route-fields.ts";
import { isObject, optional, readFields } from "./read-value.ts";
import type { Fields, Report } from "./read-value.ts";

/** One entry as far as it can be read by itself. It is valid if `declaration` is there. */
export interface ReadEntry {
  readonly name: string | undefined;
  readonly share: Share | undefined | "unreadable";
  /** Pairs that can be told from the text: an explicit host, and a uri that is explicit or (as "") the default. */
  readonly pairs: readonly Pair[];
  readonly declaration: Declaration | undefined;
  readonly problems: readonly Problem[];
}

/** Enough to mend an entry by; an annotation full of unknown fields must not become megabytes of problems. */
const maxProblems = 20;

/** Reads one entry. `label` stands for it where it is no object; `kind` undefined: as either kind may write it. */
export function readEntry(value: unknown, label: string, kind: SourceKind | undefined): ReadEntry {
  const problems: Problem[] = [];
  let name: string | undefined;
  const report: Report = (field, wrong, reason) => {
    if (problems.length < maxProblems) problems.push(makeProblem(name, field, wrong, reason));
    return undefined;
  };
  if (!isObject(value)) {
    report(label, value, "an entry is an object with name, port and more");
    return { name, share: "unreadable", pairs: [], declaration: undefined, problems };
  }
  // Before all others, so that their problems carry it.
  name = readName(Object.hasOwn(value, "name") ? value["name"] : undefined, "name", report);
  const fields = readFields(value, "", report, fieldNames) ?? new Map<string, unknown>();
  const declaration = readDeclaration(fields, name, kind, report);
  return {
    name,
    share: shareOf(fields, kind),
    pairs: pairsFromText(fields),
    declaration: problems.length === 0 ? declaration : undefined,
    problems,
  };
}

/** The problem itself was reported when the declaration was read. */
const silent: Report = () => undefined;

function shareOf(fields: Fields, kind: SourceKind | undefined): Share | undefined | "unreadable" {
  return fields.has("share")
    ? (optional(fields, "share", readShare(kind), silent) ?? "unreadable")
    : undefined;
}

function pairsFromText(fields: Fields): readonly Pair[] {
  const hosts = readHosts(fields, silent);
  const uris = fields.has("uri") || fields.has("uris") ? readUris(fields, silent) : [""];
  if (hosts === undefined || uris === undefined || hasTooManyPairs(hosts, uris)) return [];
  return pairsOf(hosts, uris);
}
