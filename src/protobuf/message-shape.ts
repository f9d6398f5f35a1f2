/**
 * How a message stands on the wire: the numbers and types of its fields, under the names that they have in JSON. Only
 * what may be read needs to be listed.
 */
export interface MessageShape {
  readonly fields: Readonly<Record<string, FieldShape>>;
  /** Every field that the message has is listed. */
  readonly isComplete: boolean;
}

export type FieldType =
  | "text"
  /** int32 or int64. */
  | "number"
  | "flag"
  /** meta.v1.Time. */
  | "time"
  /** map<string, string>. */
  | "textMap"
  | "message";

export interface FieldShape {
  readonly number: number;
  readonly type: FieldType;
  readonly isList: boolean;
  /** Of a `message`. */
  readonly shape?: MessageShape;
}

const field =
  (type: FieldType, isList: boolean) =>
  (number: number): FieldShape => ({ number, type, isList });

export const text = field("text", false);
export const texts = field("text", true);
export const integer = field("number", false);
export const flag = field("flag", false);
export const time = field("time", false);
export const textMap = field("textMap", false);

export function message(number: number, shape: MessageShape): FieldShape {
  return { number, type: "message", isList: false, shape };
}

export function messages(number: number, shape: MessageShape): FieldShape {
  return { number, type: "message", isList: true, shape };
}

export function shapeOf(fields: MessageShape["fields"]): MessageShape {
  return { fields, isComplete: false };
}

export function completeShapeOf(fields: MessageShape["fields"]): MessageShape {
  return { fields, isComplete: true };
}
