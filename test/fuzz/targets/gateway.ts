import fc from "fast-check";
import { readAnswer } from "../../../src/apisix/answer.ts";
import { judgePut, judgeRead, judgeRemove } from "../../../src/apisix/judge-answer.ts";
import { readList } from "../../../src/apisix/read-list.ts";
import { TranslatorError } from "../../../src/errors.ts";
import { systemClock } from "../../../src/runtime.ts";
import { damaged, inPieces, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";

const id = `t-${"ab".repeat(20)}`;
const subject = { resource: "route", id } as const;

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
  "/apisix/routes/other",
  `/apisix/upstreams/${id}`,
  `/x/y/routes/${id}`,
);
const value = fc.record(
  {
    id: or(fc.constant(id)),
    uri: or(fc.constantFrom("/*", "/a")),
    hosts: or(fc.constant(["a.example.com"])),
    labels: or(fc.constantFrom({}, { "managed-by": "apisix-translator" })),
    status: or(fc.constantFrom(0, 1)),
  },
  { noNullPrototype: true },
);
const item = fc.record({ key: or(key, 60), value: or(value, 60), createdIndex: or(fc.nat(99), 60) });

const answers = fc.record({
  status: fc.constantFrom(200, 200, 200, 201, 204, 301, 400, 401, 404, 404, 413, 429, 500, 502, 503),
  body: fc.oneof(
    { weight: 4, arbitrary: item },
    {
      weight: 1,
      arbitrary: fc.record({
        error_msg: or(
          fc.constantFrom("has no healthy etcd endpoint available", "x is still using it now", "bad"),
        ),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ message: "Key not found" }) },
    { weight: 1, arbitrary: wild },
  ),
  damage: someDamage,
});

async function* bodyOf(bytes: Buffer, piece: number): AsyncGenerator<Uint8Array, void, void> {
  yield* inPieces(bytes, piece);
}

/** Answers about one object: what is taken for done, found or absent truly is. */
export const answerTarget = makeTarget(
  "Admin answers",
  10,
  answers,
  async ({ status, body, damage }): Promise<Verdict> => {
    const bytes = damaged(Buffer.from(JSON.stringify(body)), damage);
    const answer = await readAnswer({
      status,
      contentType: "application/json",
      server: "APISIX/3.18.0",
      body: bodyOf(bytes, 64),
    });
    const said: Record<string, unknown> = answer.json ?? {};
    const keyed = typeof said["key"] === "string" && said["key"].endsWith(`/routes/${id}`);
    const put = judgePut(subject, answer);
    const read = judgeRead(subject, answer);
    const remove = judgeRemove(subject, answer);
    const isAbsent = status === 404 && typeof said["message"] === "string";
    const wrong =
      put.type === "done" && !(keyed && (status === 200 || status === 201))
        ? "a PUT counts as done"
        : remove.type === "done" && !(keyed && status === 200) && !isAbsent
          ? "a DELETE counts as done"
          : read.type === "found" && !(keyed && status === 200)
            ? "an object counts as found"
            : read.type === "absent" && !isAbsent
              ? "an object counts as absent"
              : undefined;
    return { passed: answer.json !== undefined, wrong };
  },
);

const lists = fc.record({
  items: fc.array(item, { maxLength: 4 }),
  total: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wild }),
  damage: someDamage,
  piece: fc.constantFrom(1, 13, 1 << 16),
});

/** Lists: one that counts as read is what a plain parser reads, item for item. */
export const listTarget = makeTarget(
  "Admin lists",
  10,
  lists,
  async ({ items, total, damage, piece }): Promise<Verdict> => {
    const document = { total: total ?? items.length, list: items.length === 0 ? {} : items };
    const bytes = damaged(Buffer.from(JSON.stringify(document)), damage);
    const taken: unknown[] = [];
    const transport = () =>
      Promise.resolve({
        status: 200,
        contentType: "application/json",
        server: "",
        body: bodyOf(bytes, piece),
      });
    try {
      await readList(
        { transport, timeout: 1000, maxListBytes: 1 << 20, clock: systemClock },
        "routes",
        (each) => void taken.push(each),
      );
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      return { passed: taken.length > 0 };
    }
    const whole = JSON.parse(bytes.toString("utf8")) as { list: unknown; total: unknown };
    const expected = Array.isArray(whole.list) ? whole.list : [];
    const values = expected.map(({ value: each }: { value: unknown }) => JSON.stringify(each)).join();
    const isRight = values === taken.map((each) => JSON.stringify((each as { value: unknown }).value)).join();
    return {
      passed: true,
      wrong: isRight && whole.total === taken.length ? undefined : "a list was misread",
    };
  },
);
