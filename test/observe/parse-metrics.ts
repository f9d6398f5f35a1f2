/** What a Prometheus server reads from text format 0.0.4. */
export interface ParsedMetrics {
  readonly types: ReadonlyMap<string, string>;
  /** By `name{label="value",…}` as written. */
  readonly values: ReadonlyMap<string, number>;
}

const sample = /^([a-zA-Z_:][\w:]*(?:\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\n"])*",?)*\})?) (\S+)$/;

/** @throws Error on a line that no Prometheus server takes, a series that comes twice, or one without a type. */
export function parseMetrics(text: string): ParsedMetrics {
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# HELP ")) continue;
    const type = /^# TYPE (\S+) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    if (type?.[1] !== undefined && type[2] !== undefined) {
      types.set(type[1], type[2]);
      continue;
    }
    const [, key, number] = sample.exec(line) ?? [];
    if (key === undefined || number === undefined) throw new Error(`no sample: ${line}`);
    const value = Number(number.replace("Inf", "Infinity"));
    if (Number.isNaN(value) && number !== "Nan" && number !== "NaN") throw new Error(`no number: ${line}`);
    if (values.has(key)) throw new Error(`twice: ${key}`);
    const name = key.replace(/\{.*/, "");
    const family = name.replace(/_(bucket|sum|count)$/, "");
    if (!types.has(name) && !types.has(family)) throw new Error(`no type: ${key}`);
    values.set(key, value);
  }
  return { types, values };
}
