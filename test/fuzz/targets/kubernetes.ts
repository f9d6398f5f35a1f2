import fc from "fast-check";
import { TranslatorError } from "../../../src/errors.ts";
import { WireError } from "../../../src/protobuf/wire-error.ts";
import type { Decoder, Frame, Item } from "../../../src/watch/decoder.ts";
import { jsonDecoder } from "../../../src/watch/json-decoder.ts";
import { kindRows } from "../../../src/watch/kinds.ts";
import type { KindRow } from "../../../src/watch/kinds.ts";
import { protobufDecoder } from "../../../src/watch/protobuf/protobuf-decoder.ts";
import { anyObject, kindNames } from "../../protobuf/any-object.ts";
import { readers } from "../../protobuf/readers.ts";
import { listBytes, watchFrame } from "../../protobuf/wire-parts.ts";
import { damaged, inPieces, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { FuzzTarget, Verdict } from "../target.ts";

/** Drawn once: to draw objects takes longer than to read them. */
const objects = fc.sample(anyObject, { numRuns: 300, seed: 7 });

const types = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"] as const;

const input = fc.record({
  picks: fc.array(fc.tuple(fc.nat(objects.length - 1), fc.constantFrom(...types)), {
    minLength: 1,
    maxLength: 3,
  }),
  damage: someDamage,
  piece: fc.constantFrom(1, 7, 64, 1 << 20),
});

type Picks = readonly (readonly [number, string])[];

interface Wire {
  readonly row: KindRow;
  readonly bytes: Buffer;
}

/** Objects of one kind: that of the first. */
function chosen(picks: Picks) {
  const kind = objects[picks[0]?.[0] ?? 0]?.kind ?? "pods";
  const row: KindRow = { ...kindRows[kind], reader: readers[kind] };
  const all = picks.flatMap(([at, type]) => {
    const object = objects[at];
    return object === undefined || object.kind !== kind ? [] : [{ ...object, type }];
  });
  return { row, kindName: kindNames[kind], all };
}

const wires: Readonly<Record<string, (picks: Picks) => Wire>> = {
  "protobuf frames": (picks) => {
    const { row, kindName, all } = chosen(picks);
    return { row, bytes: Buffer.concat(all.map(({ type, bytes }) => watchFrame(type, kindName, bytes))) };
  },
  "protobuf list": (picks) => {
    const { row, all } = chosen(picks);
    return {
      row,
      bytes: listBytes(
        row.listKind,
        all.map(({ bytes }) => bytes),
      ),
    };
  },
  "JSON frames": (picks) => {
    const { row, all } = chosen(picks);
    const lines = all.map(({ type, json }) => `${JSON.stringify({ type, object: json })}\n`);
    return { row, bytes: Buffer.from(lines.join("")) };
  },
  "JSON list": (picks) => {
    const { row, all } = chosen(picks);
    const items = all.map(({ json }) => json);
    return {
      row,
      bytes: Buffer.from(JSON.stringify({ kind: row.listKind, metadata: { resourceVersion: "7" }, items })),
    };
  },
};

/** Everything that a reader said, in one text, so that two readings can be compared. */
function reading(decoder: Decoder, isList: boolean, { row, bytes }: Wire, piece: number): readonly string[] {
  const said: string[] = [];
  try {
    const reader = isList ? decoder.page(row, 1) : decoder.frames(row, 1);
    for (const chunk of inPieces(bytes, piece)) for (const each of reader.push(chunk)) said.push(sayOf(each));
    said.push(`end ${JSON.stringify(reader.end() ?? "")}`);
  } catch (error) {
    if (!(error instanceof TranslatorError)) throw error;
    said.push(`${error.code} ${error.message}`);
  }
  return said;
}

function sayOf(each: Item | Frame): string {
  if (!("type" in each)) return itemText(each);
  if (each.type === "apply") return `apply ${each.resourceVersion} ${itemText(each.item)}`;
  if (each.type === "error") return `error ${each.error.message}`;
  return JSON.stringify(each);
}

function itemText({ key, wire }: Item): string {
  if (key.name === "" || key.name.length > 253)
    throw new Error(`an object without a name was read: ${key.name}`);
  let value: string;
  try {
    wire.fingerprint();
    value = JSON.stringify(wire.value());
  } catch (error) {
    // As `Wire` says; the watch that said it ends.
    if (!(error instanceof WireError)) throw error;
    value = "unreadable";
  }
  return `${key.namespace}/${key.name} ${value}`;
}

function wireTarget(name: string, share: number, decoder: Decoder): FuzzTarget {
  const isList = name.endsWith("list");
  const build = wires[name];
  if (build === undefined) throw new Error(`no wire ${name}`);
  return makeTarget(name, share, input, ({ picks, damage, piece }): Verdict => {
    const { row, bytes } = build(picks);
    const wire = { row, bytes: damaged(bytes, damage) };
    const said = reading(decoder, isList, wire, piece);
    const whole = reading(decoder, isList, wire, Number.MAX_SAFE_INTEGER);
    const [isRead, isReadWhole] = [said, whole].map((lines) => lines.at(-1)?.startsWith("end ") === true);
    // Of a list that turns out to be wrong, the items that came before are void.
    const isVoid = isList && isRead === false && isReadWhole === false;
    const isSame = isVoid || said.join("\n") === whole.join("\n");
    const passed = isList ? isRead === true : said.length > 1;
    return { passed, wrong: isSame ? undefined : `in pieces of ${piece} it reads otherwise than whole` };
  });
}

export const kubernetesTargets: readonly FuzzTarget[] = [
  wireTarget("protobuf frames", 15, protobufDecoder),
  wireTarget("protobuf list", 10, protobufDecoder),
  wireTarget("JSON frames", 10, jsonDecoder),
  wireTarget("JSON list", 10, jsonDecoder),
];
