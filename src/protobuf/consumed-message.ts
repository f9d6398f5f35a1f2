import { wireType } from "./field-cursor.ts";
import type { FieldShape, FieldType, MessageShape } from "./message-shape.ts";

/** Where one consumed value stands: names from the root, `[]` for each element of a list, keys of a map. */
export interface ConsumedPath {
  readonly path: readonly string[];
}

/** What a walk does with a field whose tag is one byte long. */
export const action = {
  /** Nothing known: the tag is long, or the field is neither consumed nor length-delimited. */
  look: 0,
  /** Length-delimited, not consumed. */
  skip: 1,
  /** Length-delimited, consumed as it stands. */
  take: 2,
  /** A message of which parts are consumed. */
  enter: 3,
  /** An entry of a map, consumed if its key is. */
  entry: 4,
} as const;

/** A field that is consumed, wholly or in part. */
export interface ConsumedField {
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  readonly isList: boolean;
  readonly wireType: number;
  readonly action: number;
  /** Of a message; for a message that is taken whole, too. */
  readonly message: ConsumedMessage | undefined;
  /** Of a map: the keys that are consumed. */
  readonly keys: readonly MapKey[];
}

export interface MapKey {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Fields with a higher number are looked up one by one; none of them is consumed often. */
const shortTagNumbers = 16;

/** The consumed part of a message, compiled from paths and field numbers: what one step of a walk needs is one look away. */
export class ConsumedMessage {
  /** Action by tag byte; a tag over 127 has more bytes. */
  readonly actions = new Uint8Array(256);
  readonly fields: ReadonlyMap<number, ConsumedField>;
  /** Its consumed fields, none set: objects that are copied from it are alike to the engine, whatever they lack. */
  readonly blank: Readonly<Record<string, unknown>>;
  /** `fields` by tag byte, where `actions` is not `look` or `skip`. */
  readonly byTag: readonly (ConsumedField | undefined)[];

  constructor(fields: readonly ConsumedField[]) {
    this.fields = new Map(fields.map((field) => [field.number, field]));
    this.blank = Object.fromEntries(fields.map(({ name }) => [name, undefined]));
    const byTag = Array.from<ConsumedField | undefined>({ length: 128 });
    for (let number = 1; number < shortTagNumbers; number++) {
      const tag = (number << 3) | wireType.bytes;
      const field = this.fields.get(number);
      // A consumed field of another wire type is no length-delimited one: `look` finds the fault.
      if (field !== undefined && field.wireType !== wireType.bytes) continue;
      this.actions[tag] = field?.action ?? action.skip;
      byTag[tag] = field;
    }
    this.byTag = byTag;
  }
}

/**
 * @param paths of leaves: of texts, numbers, flags, times, and keys of maps.
 *
 * Errors: where a path leads to a field that the shape does not have: the two tables disagree.
 */
export function consumedMessage(shape: MessageShape, paths: readonly ConsumedPath[]): ConsumedMessage {
  return compiled(
    shape,
    paths.map(({ path }) => path),
    [],
  );
}

type Path = readonly string[];

function compiled(shape: MessageShape, paths: readonly Path[], above: Path): ConsumedMessage {
  const names = [...new Set(paths.map(([name = ""]) => name))];
  return new ConsumedMessage(
    names.map((name) => {
      const field = shape.fields[name];
      const whole = [...above, name];
      if (field === undefined) throw new Error(`no field number is known for ${whole.join(".")}`);
      const under = paths.filter(([first]) => first === name).map((path) => path.slice(1));
      return consumed(name, field, under, whole);
    }),
  );
}

function consumed(name: string, field: FieldShape, under: readonly Path[], whole: Path): ConsumedField {
  const { number, type, isList } = field;
  const common = { name, number, type, isList, wireType: wireTypes[type] };
  const rests = isList ? under.map((path) => path.slice(1)) : under;
  if (type === "textMap") {
    const keys = rests.map(([key = ""]) => ({ name: key, bytes: Buffer.from(key) }));
    return { ...common, action: action.entry, message: undefined, keys };
  }
  if (field.shape === undefined) return { ...common, action: action.take, message: undefined, keys: [] };
  const message = compiled(field.shape, rests, whole);
  const isWhole = isTakenWhole(field.shape, message);
  return { ...common, action: isWhole ? action.take : action.enter, message, keys: [] };
}

function isTakenWhole(shape: MessageShape, { fields }: ConsumedMessage): boolean {
  const listed = Object.values(shape.fields);
  return shape.isComplete && listed.every(({ number }) => fields.get(number)?.action === action.take);
}

const wireTypes: Readonly<Record<FieldType, number>> = {
  text: wireType.bytes,
  number: wireType.varint,
  flag: wireType.varint,
  time: wireType.bytes,
  textMap: wireType.bytes,
  message: wireType.bytes,
};
