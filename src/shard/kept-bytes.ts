import type { Kept } from "../filter/kept.ts";

/** A batch of usual size; what is larger takes memory of its own. */
const bench = new Uint8Array(256 * 1024);

/** Bytes of the projection; 0 for what is deleted. */
export function packedLength(entry: Kept): number {
  return entry.type === "apply" ? entry.packed.length : 0;
}

/** As they cross a thread, to be encoded at once: the next batch takes the same memory. */
export function inBytes(entries: readonly Kept[]): Kept<Uint8Array>[] {
  const length = entries.reduce((sum, entry) => sum + packedLength(entry), 0);
  const bytes = length <= bench.length ? bench : new Uint8Array(length);
  const texts = Buffer.from(bytes.buffer);
  let at = 0;
  return entries.map((entry) => {
    if (entry.type === "delete") return entry;
    const begin = at;
    at += texts.write(entry.packed, begin, "latin1");
    return { ...entry, packed: bytes.subarray(begin, at) };
  });
}
