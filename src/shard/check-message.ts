import { TranslatorError } from "../errors.ts";
import { decode } from "./codec.ts";
import type { FromShard } from "./protocol.ts";

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number" && Number.isFinite(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isResource: Check = (value) => value === "upstream" || value === "route";
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shape = (fields: Readonly<Record<string, Check>>): Check => {
  const checks = Object.entries(fields);
  return (value) => isFields(value) && checks.every(([name, check]) => check(value[name]));
};
/** One of several shapes, told apart by `type`. */
const union =
  (shapes: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (!isFields(value) || typeof value["type"] !== "string") return false;
    return Object.hasOwn(shapes, value["type"]) && shapes[value["type"]]?.(value) === true;
  };

const identity = shape({
  ...{ share: isText, cluster: isText, kind: isText, namespace: isText, name: isText, route: isText },
});
const age = shape({ created: isNumber, cluster: isText, namespace: isText, name: isText });

const stand = union({
  live: shape({
    ...{
      age,
      pairs: listOf(isText),
      inherits: isFlag,
      nodes: isNumber,
      bare: isFlag,
      upstream: isFlag,
      route: isFlag,
    },
  }),
  frozen: shape({ nodes: isNumber, bare: isFlag, onlyLost: optional(isFlag), upstream: isFlag }),
  untouched: () => true,
  nothing: () => true,
  absent: shape({ grace: isFlag, cause: isText }),
});

const changes = listOf(
  shape({
    ...{ id: isText, identity, at: optional(isNumber), counts: isFields, reason: optional(isText), stand },
    nodeClusters: optional(listOf(isText)),
  }),
);

const explained = shape({
  ...{ cluster: isText, kind: isText, namespace: isText, name: isText, route: isText, state: isText },
  ...{ reason: isText, hosts: listOf(isText), uris: listOf(isText), id: isText, nodes: optional(isNumber) },
});

const body = shape({
  ...{ id: isText, resource: isResource, body: isText, digest: isText },
  ...{ pairs: optional(listOf(isText)), nodes: optional(isNumber) },
  members: optional(listOf(listOf(isText))),
});

const message = union({
  ready: () => true,
  done: shape({ seq: isNumber, changes, bodies: optional(listOf(body)) }),
  changes: shape({ changes }),
  settled: shape({ token: isNumber, changes }),
  body,
  same: shape({ id: isText, resource: isResource }),
  stale: shape({ id: isText, resource: isResource }),
  need: shape({ id: isText, identity }),
  parts: shape({ parts: listOf(shape({ id: isText, cluster: isText, isGone: isFlag })) }),
  nodes: shape({ cluster: isText, isWanted: isFlag }),
  explained: shape({ token: isNumber, declarations: listOf(explained) }),
});

/** What came from a shard, if it is what a shard says. Errors: `SHARD_PROTOCOL`. */
export function checkFromShard(value: unknown): FromShard {
  if (message(value)) return value as FromShard;
  const type =
    isFields(value) && typeof value["type"] === "string" ? value["type"].slice(0, 32) : typeof value;
  throw new TranslatorError("SHARD_PROTOCOL", `a shard said what no shard says: ${JSON.stringify(type)}`);
}

/** Whether these bytes say `ready`. */
export function isReady(bytes: Uint8Array): boolean {
  try {
    return checkFromShard(decode(bytes)).type === "ready";
  } catch {
    return false;
  }
}
