/** A proxy's mistake must not stop writes for hours. */
const longest = 60_000;

/** Milliseconds that a `Retry-After` header asks for, bounded; undefined: none, or given as a date, which needs trusted clocks. */
export function retryAfterOf(header: string | undefined): number | undefined {
  if (header === undefined || !/^[0-9]{1,9}$/.test(header)) return undefined;
  return Math.min(longest, Number(header) * 1000);
}
