/** Bytes of a mark. */
export const nodeMarkBytes = 6;

/**
 * A Node's name in 48 bits: what an endpoint remembers of the Node that it is on. Of 5,000 Nodes any two share a mark
 * with a probability below 1 in 10,000,000; the names themselves would take most of a slice's memory.
 *
 * Two MurmurHash3-like lanes over UTF-16 code units. Never all zero: that means no Node.
 */
export function writeNodeMark(bytes: Uint8Array, offset: number, name: string): void {
  let low = 0x9747b28c;
  let high = 0x5bd1e995;
  for (let index = 0; index < name.length; index++) {
    const code = name.charCodeAt(index);
    low = Math.imul(low ^ code, 0x85ebca77);
    high = Math.imul(high ^ code, 0x27d4eb2f);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  if (low === 0 && (high & 0xffff) === 0) low = 1;
  for (let index = 0; index < 4; index++) bytes[offset + index] = low >>> (8 * index);
  bytes[offset + 4] = high;
  bytes[offset + 5] = high >>> 8;
}

/** The mark at `offset` as one number; 0 for no Node. */
export function readNodeMark(bytes: Uint8Array, offset: number): number {
  let mark = 0;
  for (let index = nodeMarkBytes - 1; index >= 0; index--) mark = mark * 256 + (bytes[offset + index] ?? 0);
  return mark;
}

/** The mark of a Node by its name. */
export function nodeMark(name: string): number {
  const bytes = new Uint8Array(nodeMarkBytes);
  writeNodeMark(bytes, 0, name);
  return readNodeMark(bytes, 0);
}
