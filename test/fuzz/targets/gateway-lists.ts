import fc from "fast-check";
import { readList } from "../../../src/apisix/read-list.ts";
import { TranslatorError } from "../../../src/errors.ts";
import { systemClock } from "../../../src/runtime.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";
import { anyValue, bodyOf } from "./gateway.ts";

const id = `t-${"ab".repeat(20)}`;
const wild = fc.constantFrom<unknown>(null, 1, "x", [], {}, [[]], { key: 1 });
const or = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 150, arbitrary: right }, { weight: 1, arbitrary: wild });

const item = or(
  fc.record({
    key: or(fc.constantFrom(`/apisix/routes/${id}`, "/apisix/routes/other", `/x/y/routes/${id}`)),
    value: or(anyValue),
    createdIndex: or(fc.nat(99)),
  }),
);

/** What an item may bring with it: texts that look like the ends of things. */
const list = fc.oneof(
  { weight: 20, arbitrary: fc.array(item, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(["]}", '{"list":[', "\\", { list: [1] }]) },
  { weight: 1, arbitrary: wild },
);

/** The document with its members in any order, or one of them twice, or with a great deal beside the list. */
const shapes = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("total first", "list first", "with nested lists", "spaced") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("list twice", "no list", "much beside", "in an array", "followed"),
  },
);

function written(shape: string, all: unknown, total: unknown): string {
  const [list_, total_] = [JSON.stringify(all), JSON.stringify(total)];
  switch (shape) {
    case "list first":
      return `{"list":${list_},"total":${total_}}`;
    case "with nested lists":
      return `{"a":{"list":[1,{"list":[]}]},"l\\u0069st_":[["list"]],"total":${total_},"list":${list_}}`;
    case "spaced":
      return ` \n{ "total" :\t${total_} , "l\\u0069st" : ${list_} }\r\n`;
    case "list twice":
      return `{"list":${list_},"total":${total_},"list":[]}`;
    case "no list":
      return `{"total":${total_}}`;
    case "much beside":
      return `{"total":${total_},"x":"${"y".repeat(70_000)}","list":${list_}}`;
    case "in an array":
      return `[{"total":${total_},"list":${list_}}]`;
    case "followed":
      return `{"total":${total_},"list":${list_}}{}`;
    default:
      return `{"total":${total_},"list":${list_}}`;
  }
}

const lists = fc.record({
  all: list,
  shape: shapes,
  total: fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: wild }),
  maxListBytes: fc.oneof(
    { weight: 30, arbitrary: fc.constant(1 << 20) },
    { weight: 1, arbitrary: fc.constant(100) },
  ),
  status: fc.oneof(
    { weight: 30, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(201, 204, 301, 401, 404, 500, 503) },
  ),
  damage: someDamage,
  piece: fc.constantFrom(1, 13, 1 << 16),
});

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Lists: one that counts as read is what a plain parser reads, item for item. */
export const listTarget = makeTarget(
  "Admin lists",
  10,
  lists,
  async ({ all, shape, total, maxListBytes, status, damage, piece }): Promise<Verdict> => {
    const count = Array.isArray(all) ? all.length : 0;
    const bytes = damaged(Buffer.from(written(shape, count === 0 ? {} : all, total ?? count)), damage);
    const taken: unknown[] = [];
    const transport = () =>
      Promise.resolve({ status, contentType: "application/json", server: "", body: bodyOf(bytes, piece) });
    try {
      await readList({ transport, timeout: 1000, maxListBytes, clock: systemClock }, "routes", (each) =>
        taken.push([each.id, each.value, each.createdIndex]),
      );
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      return { passed: taken.length > 0 };
    }
    return { passed: true, wrong: wrongWith(bytes, taken, maxListBytes, status) };
  },
);

function wrongWith(
  bytes: Buffer,
  taken: readonly unknown[],
  most: number,
  status: number,
): string | undefined {
  if (status !== 200) return `answered ${status}, and it counts as a list`;
  if (bytes.length > most) return "a list that is too long was read";
  const whole = JSON.parse(bytes.toString("utf8")) as unknown;
  if (!isRecord(whole)) return "what is no object was read as a list";
  const { list: all, total } = whole;
  if (!Array.isArray(all) && !(isRecord(all) && Object.keys(all).length === 0)) return "there is no list";
  const plain = (Array.isArray(all) ? all : []).map(
    ({ key, value, createdIndex }: Record<string, unknown>) => [
      String(key).split("/").at(-1),
      value,
      createdIndex,
    ],
  );
  const isRight = JSON.stringify(plain) === JSON.stringify(taken);
  return isRight && total === taken.length ? undefined : "a list was misread";
}
