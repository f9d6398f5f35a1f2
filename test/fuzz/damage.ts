import fc from "fast-check";

/** One thing that happens to bytes on their way. */
interface Damage {
  readonly how: "set" | "flip" | "insert" | "remove" | "cut" | "repeat";
  /** Where, as a part of the whole. */
  readonly at: number;
  readonly byte: number;
  readonly length: number;
}

const damage: fc.Arbitrary<Damage> = fc.record({
  how: fc.constantFrom("set", "flip", "insert", "remove", "cut", "repeat"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  // Bytes at which parsers change their mind come more often.
  byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x7f, 0x80, 0xff)),
  length: fc.integer({ min: 1, max: 40 }),
});

/** Two times out of three none; else a little. */
export const someDamage: fc.Arbitrary<readonly Damage[]> = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(damage, { minLength: 1, maxLength: 3 }) },
);

export function damaged(bytes: Buffer, all: readonly Damage[]): Buffer {
  let now = bytes;
  for (const { how, at, byte, length } of all) {
    const from = Math.floor(at * now.length);
    const before = now.subarray(0, from);
    if (how === "cut") now = Buffer.from(before);
    else if (how === "insert") now = Buffer.concat([before, Buffer.of(byte), now.subarray(from)]);
    else if (how === "remove") now = Buffer.concat([before, now.subarray(from + length)]);
    else if (how === "repeat")
      now = Buffer.concat([
        now.subarray(0, from + length),
        now.subarray(from, from + length),
        now.subarray(from + length),
      ]);
    else {
      const copy = Buffer.from(now);
      if (from < copy.length) copy[from] = how === "set" ? byte : (copy[from] ?? 0) ^ (1 << (byte & 7));
      now = copy;
    }
  }
  return now;
}

/** Cuts that a network may make. A great deal byte by byte takes long, and shows no more. */
export function inPieces(bytes: Buffer, wanted: number): Buffer[] {
  const size = bytes.length > 10_000 ? Math.max(wanted, 1 << 12) : wanted;
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  return pieces;
}
