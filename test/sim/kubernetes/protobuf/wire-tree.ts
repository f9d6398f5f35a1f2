/** Where two trees differ, as paths of field numbers; what stands in `ignored` is left out on both sides. */
export function differences(a: Buffer, b: Buffer, ignored: readonly string[]): string[] {
  return compare(a, b, "", ignored);
}

function compare(a: Buffer, b: Buffer, path: string, ignored: readonly string[]): string[] {
  if (a.equals(b)) return [];
  const [one, other] = [fieldsOf(a), fieldsOf(b)];
  if (one === undefined || other === undefined) return [path];
  const kept = (fields: readonly Field[]): Field[] =>
    fields.filter(({ number }) => !ignored.includes(`${path}/${number}`));
  const [left, right] = [kept(one), kept(other)];
  if (left.length !== right.length) return [`${path}: ${numbers(left)} and ${numbers(right)}`];
  return left.flatMap((field, index) => {
    const counterpart = right[index]!;
    const at = `${path}/${field.number}`;
    if (field.number !== counterpart.number) return [`${at}: another field`];
    return compare(field.content, counterpart.content, at, ignored);
  });
}

interface Field {
  readonly number: number;
  readonly content: Buffer;
}

const numbers = (fields: readonly Field[]): string => fields.map(({ number }) => number).join(" ");

/** Undefined where the bytes are no message. Of a number the content is its bytes. */
export function fieldsOf(bytes: Buffer): Field[] | undefined {
  const fields: Field[] = [];
  const from = bytes.subarray(0, 4).toString("latin1") === "k8s\0" ? 4 : 0;
  let at = from;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; at < bytes.length; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const begin = at;
    const value = varint();
    const number = Math.floor(tag / 8);
    if (Number.isNaN(value) || number === 0) return undefined;
    if (tag % 8 === 0) fields.push({ number, content: bytes.subarray(begin, at) });
    else if (tag % 8 !== 2 || at + value > bytes.length) return undefined;
    else {
      fields.push({ number, content: bytes.subarray(at, at + value) });
      at += value;
    }
  }
  return fields;
}
