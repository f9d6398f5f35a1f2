import fc from "fast-check";
import { readAnswer } from "../../../src/apisix/answer.ts";
import type { Answer } from "../../../src/apisix/answer.ts";
import { judgePut, judgeRead, judgeRemove } from "../../../src/apisix/judge-answer.ts";
import type { WriteResult } from "../../../src/apisix/judge-answer.ts";
import { damaged, inPieces, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";

const id = `t-${"ab".repeat(20)}`;

const wild = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.integer(),
  fc.constant(null),
  fc.constant({}),
  fc.constant([]),
);
const or = (right: fc.Arbitrary<unknown>, weight = 20): fc.Arbitrary<unknown> =>
  fc.oneof({ weight, arbitrary: right }, { weight: 1, arbitrary: wild });

const key = fc.constantFrom(
  `/apisix/routes/${id}`,
  `/apisix/routes/${id}`,
  "/apisix/routes/other",
  `/apisix/upstreams/${id}`,
  `/x/y/routes/${id}`,
  "/apisix/routes/",
);
/** An object as APISIX sends it back. */
export const anyValue = fc.record(
  {
    id: or(fc.constant(id), 60),
    uri: or(fc.constantFrom("/*", "/a"), 60),
    hosts: or(fc.constant(["a.example.com"]), 60),
    labels: or(fc.constantFrom({}, { "managed-by": "apisix-translator" }), 60),
    status: or(fc.constantFrom(0, 1), 60),
    nodes: or(fc.constantFrom([{ host: "10.0.0.1", port: 80, weight: 1 }], { "10.0.0.1:80": 1 }, []), 60),
    timeout: or(fc.constant({ connect: 1, send: 1, read: 1 }), 60),
    plugins: or(fc.constant({ cors: {} }), 60),
    upstream_id: or(fc.constantFrom(id, 1), 60),
  },
  { requiredKeys: ["id"], noNullPrototype: true },
);
const item = fc.record({ key: or(key, 60), value: or(anyValue, 60), createdIndex: or(fc.nat(99), 60) });

const unread = "failed to fetch upstream info by upstream id [x]";
const messages = fc.constantFrom(
  "has no healthy etcd endpoint available",
  "route x is still using it now",
  "is still using it now, they say",
  `${unread}, response code: 404`,
  `${unread}, response code: 503`,
  `a ${unread}, response code: 404`,
  "bad",
  "",
  "long ".repeat(400),
);

const answers = fc.record({
  status: fc.constantFrom(
    ...[200, 200, 200, 201, 204, 301, 400, 400, 401, 403, 404, 404, 413, 429, 500, 500, 502, 503, 503],
  ),
  body: fc.oneof(
    { weight: 8, arbitrary: item },
    { weight: 6, arbitrary: fc.record({ error_msg: or(messages) }) },
    { weight: 2, arbitrary: fc.constantFrom({ message: "Key not found" }, { message: 404 }) },
    { weight: 1, arbitrary: wild },
    // More than is read of an error; all of it is read of a success.
    { weight: 1, arbitrary: fc.constant({ error_msg: "x".repeat(70_000), key: `/apisix/routes/${id}` }) },
  ),
  server: fc.constantFrom("APISIX/3.18.0", "nginx"),
  retryAfter: fc.constantFrom(undefined, 0, 5000),
  resource: fc.constantFrom("route", "route", "upstream"),
  damage: someDamage,
});

/** As a network brings it. */
export async function* bodyOf(bytes: Buffer, piece: number): AsyncGenerator<Uint8Array, void, void> {
  yield* inPieces(bytes, piece);
}

/** What a write must not count as; undefined: nothing is wrong. */
function wrongWrite(result: WriteResult, { status, json }: Answer, mayBeDone: boolean): string | undefined {
  const isSuccess = status >= 200 && status < 300;
  const message = json?.["error_msg"];
  switch (result.type) {
    case "done":
      return mayBeDone ? undefined : "a write counts as done";
    case "refused":
      return status === 413 || (status === 400 && message !== undefined) ? undefined : "counts as refused";
    case "retry":
      // It says that nothing was applied, so only what says so may be read like this.
      if (isSuccess || status === 404 || status === 500 || status === 502) return "counts as not applied";
      return status === 503 && message !== "has no healthy etcd endpoint available"
        ? "a 503 of etcd counts as not applied"
        : undefined;
    case "unknown":
      return mayBeDone ? "what was done counts as unknown" : undefined;
  }
}

/** Answers about one object: what is taken for done, found or absent truly is. */
export const answerTarget = makeTarget(
  "Admin answers",
  10,
  answers,
  async ({ status, body, server, retryAfter, resource, damage }): Promise<Verdict> => {
    const bytes = damaged(Buffer.from(JSON.stringify(body)), damage);
    const contentType = "application/json";
    const answer = await readAnswer({
      ...{ status, contentType, server, body: bodyOf(bytes, 1 << 12) },
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
    const { json = {} } = answer;
    const keyed = typeof json["key"] === "string" && json["key"].endsWith(`/${resource}s/${id}`);
    const subject = { resource, id } as const;
    const read = judgeRead(subject, answer);
    const isAbsent = status === 404 && typeof json["message"] === "string";
    const wrong =
      wrongWrite(judgePut(subject, answer), answer, keyed && (status === 200 || status === 201)) ??
      wrongWrite(judgeRemove(subject, answer), answer, (keyed && status === 200) || isAbsent) ??
      (read.type === "found" && !(keyed && status === 200 && read.object === json["value"])
        ? "an object counts as found"
        : read.type === "absent" && !isAbsent
          ? "an object counts as absent"
          : undefined);
    return { passed: answer.json !== undefined, wrong };
  },
);
