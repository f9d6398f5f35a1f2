import { fieldsOf } from "../../sim/kubernetes/protobuf/wire-tree.ts";
import { seenOf } from "./kubernetes-wires.ts";
import type { Wire, WireName } from "./kubernetes-wires.ts";

/** What is wrong with a reading of bytes that were damaged, as a slow and plain reader sees it; undefined: nothing. */
type NaiveReading = (wire: Wire, said: readonly string[]) => string | undefined;

interface PlainObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, unknown>>;
  };
}

const nameOf = ({ row }: Wire, { metadata }: PlainObject): string =>
  `${row.namespaced ? metadata.namespace : ""}/${metadata.name}`;

function plainFrame(wire: Wire, line: string): string {
  const { type, object } = JSON.parse(line) as { type: string; object: PlainObject };
  if (type === "ERROR") return "error";
  const { resourceVersion, annotations } = object.metadata;
  if (type === "BOOKMARK")
    return `bookmark ${resourceVersion} ${annotations?.["k8s.io/initial-events-end"] === "true"}`;
  if (type === "DELETED") return `delete ${resourceVersion} ${nameOf(wire, object)}`;
  if (type !== "ADDED" && type !== "MODIFIED") return "nothing";
  return `apply ${resourceVersion} ${nameOf(wire, object)} ${seenOf(wire.row, object)}`;
}

function jsonFrames(wire: Wire, said: readonly string[]): string | undefined {
  const lines = wire.bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "" && line !== "\r");
  for (const [index, line] of said.slice(0, -1).entries()) {
    const plain = plainFrame(wire, lines[index] ?? "");
    if (plain === "error" ? !line.startsWith("error") : line !== plain)
      return `reads\n${line}\nand says\n${plain}`;
  }
  return said.at(-1) === "end" && said.length - 1 < lines.length ? "a frame was not read" : undefined;
}

function jsonList(wire: Wire, said: readonly string[]): string | undefined {
  const { items, metadata } = JSON.parse(wire.bytes.toString("utf8")) as {
    readonly items: readonly PlainObject[];
    readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  };
  const plain = items.map((item) => `${nameOf(wire, item)} ${seenOf(wire.row, item)}`);
  const all = [...plain, `end ${metadata.resourceVersion} ${metadata.continue ?? ""}`];
  return all.join("\n") === said.join("\n")
    ? undefined
    : `reads\n${said.join("\n")}\nand says\n${all.join("\n")}`;
}

/** The contents of all fields at a path of numbers. Undefined where the plain reader cannot follow. */
function contentsAt(bytes: Buffer, [number, ...rest]: readonly number[]): Buffer[] | undefined {
  if (number === undefined) return [bytes];
  const found = fieldsOf(bytes)?.filter((field) => field.number === number);
  const contents = found?.map(({ content }) => contentsAt(content, rest));
  return contents?.every((each) => each !== undefined) ? contents.flat() : undefined;
}

const metadataNumber = { name: 1, namespace: 3 } as const;

/** Whether a line is about an object that these bytes have in them. */
function isOf({ row }: Wire, object: Buffer, line: string): boolean {
  const texts = (number: number): readonly string[] | undefined =>
    contentsAt(object, [1, number])?.map((content) => content.toString("utf8"));
  const names = texts(metadataNumber.name);
  const namespaces = row.namespaced ? texts(metadataNumber.namespace) : [""];
  if (names === undefined || namespaces === undefined) return true;
  return namespaces.some((namespace) => names.some((name) => line.includes(`${namespace}/${name}`)));
}

function protobufFrames(wire: Wire, said: readonly string[]): string | undefined {
  let at = 0;
  for (const line of said.slice(0, -1)) {
    const end = at + 4 + wire.bytes.readUInt32BE(at);
    const frame = wire.bytes.subarray(at + 4, end);
    at = end;
    const [type] = contentsAt(frame, [1])?.slice(-1) ?? [];
    const word = {
      ADDED: "apply",
      MODIFIED: "apply",
      DELETED: "delete",
      BOOKMARK: "bookmark",
      ERROR: "error",
    }[type?.toString("utf8") ?? ""];
    if (type !== undefined && line.split(" ")[0] !== word) return `${type} reads ${line}`;
    if (word !== "apply" && word !== "delete") continue;
    const found = contentsAt(frame, [2, 1, 2]);
    if (found !== undefined && !found.some((object) => isOf(wire, object, line))) return `reads ${line}`;
  }
  return said.at(-1) === "end" && at !== wire.bytes.length
    ? "bytes are left, and it counts as read"
    : undefined;
}

/** Whether every field of a message ends where it says; of those inside of it nothing is known. */
function isWhole(bytes: Buffer): boolean {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const type = varint() % 8;
    if (type === 0) {
      if (Number.isNaN(varint())) return false;
    } else {
      const length = type === 1 ? 8 : type === 5 ? 4 : type === 2 ? varint() : Number.NaN;
      at += length;
    }
    if (!(at <= bytes.length)) return false;
  }
  return true;
}

function protobufList(wire: Wire, said: readonly string[]): string | undefined {
  if (!isWhole(wire.bytes.subarray(4))) return "a list that is cut off was read";
  const items = contentsAt(wire.bytes, [2, 2]);
  if (items === undefined) return undefined;
  if (items.length !== said.length - 1) return `${items.length} items, ${said.length - 1} of them read`;
  const wrong = items.findIndex((item, index) => !isOf(wire, item, said[index] ?? ""));
  return wrong < 0 ? undefined : `an item reads ${said[wrong]}`;
}

export const naiveReadings: Readonly<Record<WireName, NaiveReading>> = {
  "protobuf frames": protobufFrames,
  "protobuf list": protobufList,
  "JSON frames": jsonFrames,
  "JSON list": jsonList,
};
