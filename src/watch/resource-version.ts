/** Longest resourceVersion that is believed: it is held for each watch and sent back in a URL. */
const maxLength = 128;

export function isResourceVersion(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxLength;
}

/**
 * Whether `a` comes before `b`. Both are decimal integers in core Kubernetes, comparable within one resource
 * (KEP-5504); for anything else the answer is false: what cannot be compared proves nothing.
 */
export function isOlder(a: string, b: string): boolean {
  if (!isDecimal(a) || !isDecimal(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

function isDecimal(text: string): boolean {
  return /^(?:0|[1-9][0-9]*)$/.test(text);
}
