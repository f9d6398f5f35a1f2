type Schema = Readonly<Record<string, unknown>>;

const annotations = new Set(["$schema", "$defs", "title", "description", "default"]);

/** Judges by draft 2020-12, with the keywords that our schema uses; another one throws rather than pass unnoticed. */
export function isValid(root: Schema, value: unknown, schema: unknown = root): boolean {
  if (!isObject(schema)) throw new TypeError(`no schema: ${JSON.stringify(schema)}`);
  return Object.entries(schema).every(([keyword, word]) => {
    if (annotations.has(keyword)) return true;
    const check = keywords[keyword];
    if (check === undefined) throw new TypeError(`unknown keyword ${keyword}`);
    return check(word, value, schema, (inner, of) => isValid(root, inner, of), root);
  });
}

type Judge = (value: unknown, schema: unknown) => boolean;
type Check = (word: unknown, value: unknown, schema: Schema, judge: Judge, root: Schema) => boolean;

const keywords: Readonly<Record<string, Check>> = {
  type: (word, value) => typeOf(value) === word || (word === "number" && typeOf(value) === "integer"),
  enum: (word, value) => list(word).includes(value),
  const: (word, value) => word === value,
  pattern: (word, value) => typeof value !== "string" || new RegExp(String(word), "u").test(value),
  minLength: (word, value) => typeof value !== "string" || [...value].length >= Number(word),
  maxLength: (word, value) => typeof value !== "string" || [...value].length <= Number(word),
  minimum: (word, value) => typeof value !== "number" || value >= Number(word),
  maximum: (word, value) => typeof value !== "number" || value <= Number(word),
  exclusiveMinimum: (word, value) => typeof value !== "number" || value > Number(word),
  minItems: (word, value) => !Array.isArray(value) || value.length >= Number(word),
  maxItems: (word, value) => !Array.isArray(value) || value.length <= Number(word),
  uniqueItems: (_word, value) =>
    !Array.isArray(value) || new Set(value.map((item) => JSON.stringify(item))).size === value.length,
  items: (word, value, _schema, judge) => !Array.isArray(value) || value.every((item) => judge(item, word)),
  minProperties: (word, value) => !isObject(value) || Object.keys(value).length >= Number(word),
  maxProperties: (word, value) => !isObject(value) || Object.keys(value).length <= Number(word),
  required: (word, value) =>
    !isObject(value) || list(word).every((name) => Object.hasOwn(value, String(name))),
  properties: (word, value, _schema, judge) =>
    !isObject(value) ||
    (isObject(word) &&
      Object.entries(word).every(([name, of]) => !Object.hasOwn(value, name) || judge(value[name], of))),
  propertyNames: (word, value, _schema, judge) =>
    !isObject(value) || Object.keys(value).every((name) => judge(name, word)),
  additionalProperties(word, value, { properties }, judge) {
    if (!isObject(value)) return true;
    const known = isObject(properties) ? properties : {};
    const others = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
    return others.every((name) => word !== false && judge(value[name], word));
  },
  anyOf: (word, value, _schema, judge) => list(word).some((of) => judge(value, of)),
  allOf: (word, value, _schema, judge) => list(word).every((of) => judge(value, of)),
  not: (word, value, _schema, judge) => !judge(value, word),
  $ref(word, value, _schema, judge, root) {
    const name = /^#\/\$defs\/(\w+)$/.exec(String(word))?.[1];
    if (name === undefined || !isObject(root["$defs"]))
      throw new TypeError(`unknown reference ${String(word)}`);
    return judge(value, root["$defs"][name]);
  },
};

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

const isObject = (value: unknown): value is Schema => typeOf(value) === "object";

function list(word: unknown): readonly unknown[] {
  if (!Array.isArray(word)) throw new TypeError(`no list: ${JSON.stringify(word)}`);
  return word;
}
