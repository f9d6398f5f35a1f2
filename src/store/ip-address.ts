/** IP addresses as fixed-width keys: equal, ordered and packed alike whichever way they are written. */

export type Family = "IPv4" | "IPv6";

/** Bytes of a packed address. */
export const addressBytes = { IPv4: 4, IPv6: 16 } as const;

/** An address as a key whose order is that of its bytes: IPv4 a number, IPv6 a string of 16 characters below 256. */
export type AddressKey = number | string;

/** Undefined where the text is no address of the family. */
export function addressKey(text: string, family: Family): AddressKey | undefined {
  return family === "IPv4" ? keyOfIPv4(text) : keyOfIPv6(text);
}

/** Dotted decimal; leading zeros are refused, since parsers disagree on them. */
function keyOfIPv4(text: string): number | undefined {
  let address = 0;
  let part = -1;
  let parts = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index === text.length ? 46 : text.charCodeAt(index);
    if (code === 46) {
      if (part < 0 || ++parts > 4) return undefined;
      address = address * 256 + part;
      part = -1;
    } else {
      if (code < 48 || code > 57 || part === 0) return undefined;
      part = (part < 0 ? 0 : part * 10) + code - 48;
      if (part > 255) return undefined;
    }
  }
  return parts === 4 ? address : undefined;
}

function keyOfIPv6(text: string): string | undefined {
  const halves = text.split("::");
  const head = groupsOf(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 1 ? [] : groupsOf(halves[1] ?? "", true);
  if (halves.length > 2 || head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail];
  return String.fromCharCode(...groups.flatMap((group) => [group >>> 8, group & 255]));
}

/** Groups of 16 bits; the last may be an IPv4 address (RFC 4291, 2.2), which stands for two. */
function groupsOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16));
    else {
      const last = isEnd && index === parts.length - 1 ? keyOfIPv4(part) : undefined;
      if (last === undefined) return undefined;
      groups.push(Math.floor(last / 65536), last % 65536);
    }
  }
  return groups;
}

/** Writes the key's bytes at `offset`. */
export function writeAddress(bytes: Uint8Array, offset: number, key: AddressKey): void {
  if (typeof key === "number") {
    bytes[offset] = key >>> 24;
    bytes[offset + 1] = key >>> 16;
    bytes[offset + 2] = key >>> 8;
    bytes[offset + 3] = key;
  } else {
    for (let index = 0; index < 16; index++) bytes[offset + index] = key.charCodeAt(index);
  }
}

/** The canonical text of the address at `offset`; IPv6 as RFC 5952 has it, without brackets. */
export function readAddress(bytes: Uint8Array, offset: number, family: Family): string {
  if (family === "IPv4") {
    return `${bytes[offset]}.${bytes[offset + 1]}.${bytes[offset + 2]}.${bytes[offset + 3]}`;
  }
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((bytes[offset + 2 * index] ?? 0) << 8) | (bytes[offset + 2 * index + 1] ?? 0),
  );
  return shortened(groups);
}

/** The longest run of two or more zero groups, the first of equals, becomes `::`. */
function shortened(groups: readonly number[]): string {
  let best = { start: 0, length: 1 };
  let start = 0;
  for (let index = 0; index <= groups.length; index++) {
    if (groups[index] === 0) continue;
    if (index - start > best.length) best = { start, length: index - start };
    start = index + 1;
  }
  const text = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  if (best.length < 2) return text(0, 8);
  return `${text(0, best.start)}::${text(best.start + best.length, 8)}`;
}
