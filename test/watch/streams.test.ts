import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineSplitter } from "../../src/watch/line-splitter.ts";
import { KnownKeys } from "../../src/watch/known-keys.ts";
import { isOlder } from "../../src/watch/resource-version.ts";
import { paced, Turns } from "../../src/watch/turns.ts";
import { Watchdog } from "../../src/watch/watchdog.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

describe("LineSplitter", () => {
  const text = (line: Uint8Array | "too long"): string =>
    line === "too long" ? line : Buffer.from(line).toString();

  test("gives the same lines however the bytes are cut", () => {
    const line = fc.string({ maxLength: 12, unit: fc.constantFrom("a", "é", "{", "}", '"', "\\") });
    fc.assert(
      fc.property(fc.array(line), fc.string({ maxLength: 5 }), fc.array(fc.nat(40)), (lines, rest, cuts) => {
        const tail = rest.replaceAll("\n", "");
        const bytes = Buffer.from([...lines, tail].join("\n"));
        const splitter = new LineSplitter(1_000);
        const found: string[] = [];
        let start = 0;
        for (const cut of [...cuts, bytes.length]) {
          const end = Math.min(bytes.length, start + cut);
          for (const each of splitter.push(bytes.subarray(start, end))) found.push(text(each));
          start = end;
        }
        expect(found).toEqual(lines);
        expect(splitter.pending).toBe(Buffer.byteLength(tail));
      }),
    );
  });

  test("ends at a line over the limit, whether it comes whole or in pieces", () => {
    const whole = new LineSplitter(4);
    expect([...whole.push(Buffer.from("abcd\nabcde\n"))].map(text)).toEqual(["abcd", "too long"]);
    const pieces = new LineSplitter(4);
    expect([...pieces.push(Buffer.from("abc"))]).toEqual([]);
    expect([...pieces.push(Buffer.from("de"))]).toEqual(["too long"]);
  });

  test("keeps nothing of a chunk that its owner may use again", () => {
    const splitter = new LineSplitter(10);
    const chunk = Buffer.from("abc");
    expect([...splitter.push(chunk)]).toEqual([]);
    chunk.fill("x");
    expect([...splitter.push(Buffer.from("d\n"))].map(text)).toEqual(["abcd"]);
  });
});

describe("KnownKeys", () => {
  test("a list leaves exactly the keys that it had, whatever was known before", () => {
    const key = fc.record({ namespace: fc.constantFrom("a", "b"), name: fc.constantFrom("x", "y", "z") });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), key)), fc.array(key), (before, list) => {
        const keys = new KnownKeys();
        const model = new Set<string>();
        const id = (each: { namespace: string; name: string }): string => `${each.namespace}/${each.name}`;
        for (const [seen, each] of before) {
          if (seen) keys.see(each);
          else keys.drop(each);
          if (seen) model.add(id(each));
          else model.delete(id(each));
        }
        expect(keys.size).toBe(model.size);
        keys.beginList();
        for (const each of list) keys.see(each);
        const listed = new Set(list.map(id));
        const unseen = [...keys.takeUnseen()].map(id);
        expect(new Set(unseen)).toEqual(new Set([...model].filter((each) => !listed.has(each))));
        expect(keys.size).toBe(listed.size);
        expect([...keys.takeUnseen()]).toEqual([]);
      }),
    );
  });
});

describe("isOlder", () => {
  test.each([
    ["9", "10", true],
    ["10", "9", false],
    ["10", "10", false],
    ["99999999999999999999998", "99999999999999999999999", true],
    ["a", "b", false],
    ["1", "b", false],
    ["", "1", false],
    ["01", "2", false],
  ])("%j before %j: %j", (a, b, older) => {
    expect(isOlder(a, b)).toBe(older);
  });
});

describe("Turns", () => {
  test("many streams share one turn's bytes, first come, first served", async () => {
    const clock = new VirtualClock();
    const turns = new Turns(clock);
    const served: number[] = [];
    const stream = async (id: number): Promise<void> => {
      async function* body(): AsyncGenerator<Uint8Array, void, void> {
        yield new Uint8Array(200 * 1024);
      }
      for await (const { bytes } of paced(body(), turns, clock)) served.push(id * bytes.length);
    };
    const all = Promise.all([1, 2, 3, 4].map(stream));
    await new Promise((resolve) => setImmediate(resolve));
    // The first turn is one piece of 24 KB.
    expect(served).toHaveLength(1);
    await clock.advance(1);
    await all;
    expect(served.length).toBe(36);
    expect(served.slice(0, 4).map((each) => each / (24 * 1024))).toEqual([1, 2, 3, 4]);
  });

  test("turns grow while they are quick, to 192 KB, and shrink while they take long, to one piece", async () => {
    const piece = 24 * 1024;
    const clock = { at: 0, ends: (): void => {} };
    const turns = new Turns({
      now: () => clock.at,
      wall: () => 0,
      after: () => () => {},
      soon(run) {
        clock.ends = run;
        return () => {};
      },
    });
    let served = 0;
    for (let each = 0; each < 100; each++) {
      const turn = turns.take(piece);
      if (turn === undefined) served++;
      else void turn.then(() => served++);
    }
    const perTurn = async (took: number): Promise<number> => {
      const before = served;
      clock.at += took;
      clock.ends();
      await new Promise((resolve) => setImmediate(resolve));
      return served - before;
    };
    expect(served).toBe(1);
    const quick = [await perTurn(1), await perTurn(1), await perTurn(1), await perTurn(1), await perTurn(6)];
    expect(quick).toEqual([2, 4, 8, 8, 8]);
    const slow = [await perTurn(9), await perTurn(30), await perTurn(30), await perTurn(30)];
    expect(slow).toEqual([4, 2, 1, 1]);
    expect(await perTurn(5)).toBe(1);
  });

  test("what many clusters ask for at once is asked for in further turns, and nobody who is alone waits", async () => {
    const clock = new VirtualClock();
    const turns = new Turns(clock);
    const asked: number[] = [];
    for (let each = 0; each < 3; each++) {
      const turn = turns.request();
      if (turn === undefined) asked.push(each);
      else void turn.then(() => asked.push(each));
    }
    expect(asked).toEqual([0]);
    await clock.advance(1);
    expect(asked).toEqual([0, 1, 2]);
    expect(turns.request()).toBeUndefined();
  });

  test("a piece larger than a turn is served all the same", async () => {
    const clock = new VirtualClock();
    const turns = new Turns(clock);
    expect(turns.take(10_000_000)).toBeUndefined();
    let served = false;
    void turns.take(10_000_000)?.then(() => (served = true));
    await clock.advance(1);
    expect(served).toBe(true);
  });
});

test("Watchdog barks once after the limit without a touch", async () => {
  const clock = new VirtualClock();
  let barks = 0;
  const dog = new Watchdog(clock, 1_000, () => barks++);
  await clock.advance(900);
  dog.touch();
  await clock.advance(900);
  expect(barks).toBe(0);
  await clock.advance(5_000);
  expect(barks).toBe(1);
});
