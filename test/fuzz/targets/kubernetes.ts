import fc from "fast-check";
import { TranslatorError } from "../../../src/errors.ts";
import { WireError } from "../../../src/protobuf/wire-error.ts";
import type { Decoder, Frame, Item } from "../../../src/watch/decoder.ts";
import { jsonDecoder } from "../../../src/watch/json-decoder.ts";
import type { KindRow } from "../../../src/watch/kinds.ts";
import { protobufDecoder } from "../../../src/watch/protobuf/protobuf-decoder.ts";
import { damaged, inPieces, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { FuzzTarget, Verdict } from "../target.ts";
import { anyWire, seenOf, wires } from "./kubernetes-wires.ts";
import type { Wire, WireName } from "./kubernetes-wires.ts";
import { naiveReadings } from "./naive-kubernetes.ts";

const input = fc.record({
  wire: anyWire,
  damage: someDamage,
  piece: fc.constantFrom(1, 7, 64, 1 << 20),
});

/** Everything that a reader said, line by line, so that two readings can be compared. */
function reading(decoder: Decoder, isList: boolean, { row, bytes }: Wire, piece: number): readonly string[] {
  const said: string[] = [];
  try {
    const reader = isList ? decoder.page(row, 1) : decoder.frames(row, 1);
    for (const chunk of inPieces(bytes, piece))
      for (const each of reader.push(chunk)) said.push(sayOf(row, each));
    const end = reader.end();
    said.push(end === undefined ? "end" : `end ${end.resourceVersion} ${end.continue}`);
  } catch (error) {
    if (!(error instanceof TranslatorError)) throw error;
    if (error.code !== "KUBE_PROTOCOL" && error.code !== "KUBE_CONNECTION") throw error;
    // Which of two reasons is told may depend on what stands behind the bytes.
    said.push(`refused ${error.code}`);
  }
  return said;
}

function sayOf(row: KindRow, each: Item | Frame): string {
  if (!("type" in each)) return itemText(row, each);
  switch (each.type) {
    case "apply":
      return `apply ${each.resourceVersion} ${itemText(row, each.item)}`;
    case "delete":
      return `delete ${each.resourceVersion} ${each.key.namespace}/${each.key.name}`;
    case "bookmark":
      return `bookmark ${each.resourceVersion} ${each.initialEnd}`;
    case "error": {
      const { message, status, retryAfter } = each.error;
      if (message.length > 400 || /\p{Cc}|\bbearer abc/u.test(message)) throw new Error(`told: ${message}`);
      return ["error", status, retryAfter].filter((part) => part !== undefined).join(" ");
    }
  }
}

function itemText(row: KindRow, { key, wire }: Item): string {
  let value: string;
  try {
    wire.fingerprint();
    value = seenOf(row, wire.value());
  } catch (error) {
    // As `Wire` says; the watch that said it ends.
    if (!(error instanceof WireError)) throw error;
    value = "unreadable";
  }
  return `${key.namespace}/${key.name} ${value}`;
}

/** What is wrong with a reading; undefined: nothing. */
function wrongWith(
  name: WireName,
  wire: Wire,
  isDamaged: boolean,
  said: readonly string[],
): string | undefined {
  const isRead = said.at(-1)?.startsWith("end") === true;
  if (!isDamaged) {
    if (wire.says === undefined) return isRead ? "what has to be refused was read" : undefined;
    const expected = wire.says.join("\n");
    return said.join("\n") === expected ? undefined : `reads\n${said.join("\n")}\nand says\n${expected}`;
  }
  // Of a list that turns out to be wrong, the items that came before are void.
  return name.endsWith("list") && !isRead ? undefined : naiveReadings[name](wire, said);
}

function wireTarget(name: WireName, share: number, decoder: Decoder): FuzzTarget {
  const isList = name.endsWith("list");
  const build = wires[name];
  return makeTarget(name, share, input, ({ wire: drawn, damage, piece }): Verdict => {
    const built = build(drawn);
    const wire = { ...built, bytes: damaged(built.bytes, damage) };
    const said = reading(decoder, isList, wire, piece);
    const whole = reading(decoder, isList, wire, Number.MAX_SAFE_INTEGER);
    const [isRead, isReadWhole] = [said, whole].map((lines) => lines.at(-1)?.startsWith("end") === true);
    const isVoid = isList && isRead === false && isReadWhole === false;
    const isSame = isVoid || said.join("\n") === whole.join("\n");
    const wrong = isSame
      ? wrongWith(name, wire, wire.bytes !== built.bytes, said)
      : `in pieces of ${piece} it reads otherwise than whole`;
    return { passed: isList ? isRead === true : said.length > 1, wrong };
  });
}

export const kubernetesTargets: readonly FuzzTarget[] = [
  wireTarget("protobuf frames", 15, protobufDecoder),
  wireTarget("protobuf list", 10, protobufDecoder),
  wireTarget("JSON frames", 10, jsonDecoder),
  wireTarget("JSON list", 10, jsonDecoder),
];
