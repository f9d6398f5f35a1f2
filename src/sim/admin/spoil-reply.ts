/** Answers whose body is cut, endless or of the wrong types. */
import type { AdminReply } from "./admin-reply.ts";
import { isJsonObject } from "./json-schema.ts";

/** `end`: as if complete. `reset`: the connection breaks. `stall`: nothing more comes. `endless`: it never ends. */
export type BodyEnding = "end" | "reset" | "stall" | "endless";

export const wrongTypes = [
  "list-null",
  "list-string",
  "list-missing",
  "total-string",
  "item-null",
  "value-string",
  "key-missing",
  "index-string",
  "nodes-number",
  "hosts-number",
  "labels-array",
  "id-object",
] as const;

export type WrongType = (typeof wrongTypes)[number];

export interface SpoiledReply extends AdminReply {
  readonly ending: BodyEnding;
  /** Characters of the body that are sent before the ending. */
  readonly kept: number;
}

export function unspoiled(reply: AdminReply): SpoiledReply {
  return { ...reply, ending: "end", kept: reply.body.length };
}

/** @param keep Part of the body that is sent, 0 to 1. */
export function cutReply(reply: AdminReply, keep: number, ending: BodyEnding): SpoiledReply {
  const kept = Math.min(reply.body.length, Math.max(0, Math.floor(reply.body.length * keep)));
  return { ...reply, ending, kept };
}

type ListItem = Record<string, unknown>;

function inValue(field: string, spoiled: unknown): (item: ListItem) => void {
  return (item) => {
    item["value"] = { ...(isJsonObject(item["value"]) ? item["value"] : {}), [field]: spoiled };
  };
}

const inItem: Partial<Record<WrongType, (item: ListItem) => void>> = {
  "value-string": (item) => {
    item["value"] = "not an object";
  },
  "key-missing": (item) => {
    delete item["key"];
  },
  "index-string": (item) => {
    item["createdIndex"] = "first";
  },
  "nodes-number": inValue("nodes", 1),
  "hosts-number": inValue("hosts", 1),
  "labels-array": inValue("labels", ["a"]),
  "id-object": inValue("id", {}),
};

const inList: Partial<Record<WrongType, Readonly<Record<string, unknown>>>> = {
  "list-null": { list: null },
  "list-string": { list: "[]" },
  "list-missing": { list: undefined },
  "total-string": { total: "many" },
  "item-null": { list: [null] },
};

/** Spoils a list, or the object of a single GET; leaves every other answer alone. */
export function withWrongType(reply: AdminReply, what: WrongType): AdminReply {
  if (reply.status !== 200) return reply;
  const parsed: unknown = JSON.parse(reply.body);
  if (!isJsonObject(parsed)) return reply;
  const spoilItem = inItem[what];
  if (spoilItem === undefined) {
    return "list" in parsed ? { ...reply, body: JSON.stringify({ ...parsed, ...inList[what] }) } : reply;
  }
  const body = { ...parsed };
  const { list } = body;
  const items: readonly unknown[] = Array.isArray(list) ? list : [body];
  const last = items.at(-1);
  // The list was parsed for this reply alone, so its items may be changed where they are.
  if (isJsonObject(last)) spoilItem(last);
  return { ...reply, body: JSON.stringify(body) };
}
