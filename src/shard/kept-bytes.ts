import type { Kept } from "../filter/kept.ts";

/** Bytes of the projection; 0 for what is deleted. */
export function packedLength(entry: Kept): number {
  return entry.type === "apply" ? entry.packed.length : 0;
}

/** As they cross a thread, in one piece of memory for all of them. */
export function inBytes(entries: readonly Kept[]): Kept<Uint8Array>[] {
  const bytes = new Uint8Array(entries.reduce((sum, entry) => sum + packedLength(entry), 0));
  const texts = Buffer.from(bytes.buffer);
  let at = 0;
  return entries.map((entry) => {
    if (entry.type === "delete") return entry;
    const begin = at;
    at += texts.write(entry.packed, begin, "latin1");
    return { ...entry, packed: bytes.subarray(begin, at) };
  });
}
