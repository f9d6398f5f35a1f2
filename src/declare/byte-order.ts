/**
 * Order of two strings by their UTF-8 bytes, for `sort`. JavaScript's own order is by UTF-16 units, which puts
 * characters beyond U+FFFF before U+E000–U+FFFF.
 */
export function compareBytewise(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Puts surrogates, which stand for characters beyond U+FFFF, after every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
