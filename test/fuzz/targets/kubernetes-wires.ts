import fc from "fast-check";
import { projectEndpointSlice } from "../../../src/filter/project-endpoint-slice.ts";
import { projectNode } from "../../../src/filter/project-node.ts";
import { projectPod } from "../../../src/filter/project-pod.ts";
import { projectService } from "../../../src/filter/project-service.ts";
import type { Kind } from "../../../src/watch/events.ts";
import { kindRows } from "../../../src/watch/kinds.ts";
import type { KindRow } from "../../../src/watch/kinds.ts";
import { anyObject, kindNames } from "../../protobuf/any-object.ts";
import { readers } from "../../protobuf/readers.ts";
import { listBytes, rawFrame, statusBytes, watchFrame } from "../../protobuf/wire-parts.ts";

/** What a cluster sends: its bytes, and what they say, line by line, as `sayOf` has it. */
export interface Wire {
  readonly row: KindRow;
  readonly bytes: Buffer;
  /** Undefined: it has to be refused. */
  readonly says: readonly string[] | undefined;
}

/** Drawn once: to draw objects takes longer than to read them. */
const objects = fc.sample(anyObject, { numRuns: 300, seed: 7 });

/** Each with what the watch has to make of it. */
const statuses = [
  [{ message: "too old", reason: "Expired", code: 410 }, "error 410"],
  [{ message: "", reason: "Gone", code: 0 }, "error 410"],
  [{ message: "slower", reason: "TooManyRequests", code: 429, retryAfterSeconds: 5 }, "error 429 5000"],
  [{ message: "bearer abc ä💡\n".repeat(60), reason: "x", code: 700 }, "error 500"],
  [{ message: "etcd", reason: "InternalError", code: 503, retryAfterSeconds: -1 }, "error 503"],
] as const;

const metas = [
  { resourceVersion: "2000", continue: "" },
  { resourceVersion: "7", continue: "next" },
  { resourceVersion: "1".repeat(128), continue: "c".repeat(32_768) },
  { resourceVersion: "", continue: "" },
  { resourceVersion: "7", continue: "c".repeat(32_769) },
] as const;
const badMetas: readonly object[] = metas.slice(3);

export const anyWire = fc.record({
  picks: fc.array(
    fc.tuple(
      fc.nat(objects.length - 1),
      fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK") },
        { weight: 5, arbitrary: fc.constant("ERROR") },
        { weight: 1, arbitrary: fc.constantFrom("", "Added", "REPLACED") },
      ),
    ),
    { minLength: 1, maxLength: 3 },
  ),
  meta: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...metas.slice(0, 2)) },
    { weight: 1, arbitrary: fc.constantFrom(...metas.slice(2)) },
  ),
  /** The kind that the list, or its objects, say that they are: now and then another one. */
  isKind: fc.oneof(
    { weight: 30, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
});
type AnyWire = typeof anyWire extends fc.Arbitrary<infer Value> ? Value : never;

const project = {
  pods: projectPod,
  services: projectService,
  endpointslices: projectEndpointSlice,
  nodes: projectNode,
} as const;

/** What the filter sees of an object. */
export function seenOf(row: KindRow, value: unknown): string {
  return JSON.stringify(project[row.kind as Kind](value)) ?? "nothing";
}

/** Objects of one kind: that of the first. */
function chosen({ picks }: AnyWire) {
  const kind = objects[picks[0]?.[0] ?? 0]?.kind ?? "pods";
  const row: KindRow = { ...kindRows[kind], reader: readers[kind] };
  const all = picks.flatMap(([at, type]) => {
    const object = objects[at];
    return object === undefined || object.kind !== kind ? [] : [{ ...object, at, type }];
  });
  return { row, kindName: kindNames[kind], all };
}

type Chosen = ReturnType<typeof chosen>["all"][number];

const statusAt = (at: number): (typeof statuses)[number] => statuses[at % statuses.length] ?? statuses[0];

function nameOf(row: KindRow, { json }: Chosen): string {
  const { name = "", namespace = "" } = json.metadata;
  return `${row.namespaced ? namespace : ""}/${name}`;
}

const itemSays = (row: KindRow, each: Chosen): string => `${nameOf(row, each)} ${seenOf(row, each.json)}`;

function frameSays(row: KindRow, each: Chosen): string | undefined {
  const { resourceVersion, annotations } = each.json.metadata;
  switch (each.type) {
    case "ADDED":
    case "MODIFIED":
      return `apply ${resourceVersion} ${itemSays(row, each)}`;
    case "DELETED":
      return `delete ${resourceVersion} ${nameOf(row, each)}`;
    case "BOOKMARK":
      return `bookmark ${resourceVersion} ${annotations?.["k8s.io/initial-events-end"] === "true"}`;
    case "ERROR":
      return statusAt(each.at)[1];
    default:
      return undefined;
  }
}

/** Up to the first that has to be refused. */
function framesSay(row: KindRow, all: readonly Chosen[]): readonly string[] | undefined {
  const said = all.map((each) => frameSays(row, each));
  return said.includes(undefined) ? undefined : [...(said as string[]), "end"];
}

function listSays(wire: AnyWire, row: KindRow, all: readonly Chosen[]): readonly string[] | undefined {
  const { resourceVersion, continue: next } = wire.meta;
  if (!wire.isKind || badMetas.includes(wire.meta)) return undefined;
  return [...all.map((each) => itemSays(row, each)), `end ${resourceVersion} ${next}`];
}

export const wires = {
  "protobuf frames": (wire: AnyWire): Wire => {
    const { row, kindName, all } = chosen(wire);
    const bytes = all.map(({ type, bytes: object, at }) =>
      type === "ERROR"
        ? rawFrame(type, statusBytes(statusAt(at)[0]))
        : watchFrame(type, wire.isKind ? kindName : "Lease", object),
    );
    const isOfKind = wire.isKind || all.every(({ type }) => type === "ERROR");
    return { row, bytes: Buffer.concat(bytes), says: isOfKind ? framesSay(row, all) : undefined };
  },
  "protobuf list": (wire: AnyWire): Wire => {
    const { row, all } = chosen(wire);
    const items = all.map(({ bytes }) => bytes);
    const bytes = listBytes(wire.isKind ? row.listKind : "LeaseList", items, wire.meta);
    return { row, bytes, says: listSays(wire, row, all) };
  },
  "JSON frames": (wire: AnyWire): Wire => {
    const { row, all } = chosen(wire);
    const lines = all.map(({ type, json, at }) => {
      const { retryAfterSeconds, ...status } = { retryAfterSeconds: 0, ...statusAt(at)[0] };
      const object = type === "ERROR" ? { kind: "Status", ...status, details: { retryAfterSeconds } } : json;
      return `${JSON.stringify({ type, object })}\n`;
    });
    return { row, bytes: Buffer.from(lines.join("")), says: framesSay(row, all) };
  },
  "JSON list": (wire: AnyWire): Wire => {
    const { row, all } = chosen(wire);
    const items = all.map(({ json }) => json);
    const kind = wire.isKind ? row.listKind : "LeaseList";
    const bytes = Buffer.from(JSON.stringify({ kind, metadata: wire.meta, items }));
    return { row, bytes, says: listSays(wire, row, all) };
  },
} as const;
export type WireName = keyof typeof wires;
