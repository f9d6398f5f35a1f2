import { beforeEach, describe, expect, it } from "vitest";
import type { Resource } from "../../src/apisix/types.ts";
import type { Change } from "../../src/shard/change.ts";
import type { BuiltBody } from "../../src/shard/protocol.ts";
import { BodiesAhead } from "../../src/write/bodies-ahead.ts";
import { newRecord } from "../../src/write/group-record.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";

const identity = {
  share: "none",
  cluster: "east",
  kind: "pod",
  namespace: "n",
  name: "a",
  route: "r",
} as const;
const pairs = ["a.test /*"];

let asked: string[];
let bodies: BodiesAhead;
let record: GroupRecord;

function body(id: string, resource: Resource, text: string): BuiltBody {
  return { type: "body", id, resource, body: text, digest: text };
}

function change(id: string): Change {
  return { id, identity, counts: {}, stand: { type: "untouched" } };
}

beforeEach(() => {
  asked = [];
  const shards = {
    want: (_: unknown, id: string, resource: Resource) => {
      asked.push(`${resource} ${id}`);
      return Promise.resolve(body(id, resource, `${asked.length}`));
    },
  };
  bodies = new BodiesAhead(shards, 3);
  record = newRecord("t-1", identity);
});

describe("a body at hand", () => {
  it("that was asked for is used, once", async () => {
    bodies.ask(record, "route", pairs);
    bodies.ask(record, "route", pairs);
    expect(await bodies.take(record, "route", pairs)).toMatchObject({ body: "1" });
    expect(asked).toEqual(["route t-1"]);
    expect(await bodies.take(record, "route", pairs)).toMatchObject({ body: "2" });
  });

  it("is asked for anew where something was said of its group meanwhile", async () => {
    bodies.ask(record, "upstream");
    const next = change("t-1");
    bodies.heard(record, next, undefined);
    record.change = next;
    expect(await bodies.take(record, "upstream")).toMatchObject({ body: "2" });
  });

  it("is asked for anew where what stands has changed, its shard was lost, or other pairs were granted", async () => {
    bodies.ask(record, "upstream");
    record.upstream = { digest: "somebody's" };
    expect(await bodies.take(record, "upstream")).toMatchObject({ body: "2" });
    record.change = change("t-1");
    bodies.ask(record, "upstream");
    record.change = undefined;
    expect(await bodies.take(record, "upstream")).toMatchObject({ body: "4" });
    bodies.ask(record, "route", pairs);
    expect(await bodies.take(record, "route", [...pairs])).toMatchObject({ body: "6" });
  });

  it("that came unasked with the last word is used; an older one is not", async () => {
    const first = change("t-1");
    bodies.heard(record, first, body("t-1", "upstream", "unasked"));
    record.change = first;
    expect(await bodies.take(record, "upstream")).toMatchObject({ body: "unasked" });
    bodies.heard(record, first, body("t-1", "upstream", "old"));
    const second = change("t-1");
    bodies.heard(record, second, undefined);
    record.change = second;
    expect(await bodies.take(record, "upstream")).toMatchObject({ body: "1" });
  });

  it("gives way when there are too many, and when nothing can be sent", async () => {
    for (const id of ["t-1", "t-2", "t-3", "t-4"]) bodies.ask(newRecord(id, identity), "upstream");
    expect(bodies.size).toBe(3);
    bodies.clear();
    expect(bodies.size).toBe(0);
    await bodies.take(record, "upstream");
    expect(asked).toHaveLength(5);
  });
});
