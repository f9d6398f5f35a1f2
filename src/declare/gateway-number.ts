/** APISIX stores numbers as Lua's cjson writes them: with so many significant digits (decision 0032). */
const digits = 14;

/** Below it a whole number has no more digits than APISIX keeps. */
const wholeBelow = 10 ** digits;

/** The largest integer of which nothing is lost, whatever its digits are; the smallest is its negative. */
export const maxInteger = wholeBelow - 1;

/**
 * The number that APISIX gives back for this one, which is finite: rounded to 14 significant digits. Undefined: it is
 * not a fraction that is rounded, but a count or an id that would be another one.
 */
export function gatewayNumber(value: number): number | undefined {
  if (Number.isInteger(value) && Math.abs(value) < wholeBelow) return value;
  const kept = Number(value.toPrecision(digits));
  return kept === value || Math.abs(value) < wholeBelow ? kept : undefined;
}
