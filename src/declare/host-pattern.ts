import { normalizeHost } from "./host.ts";

/** A pattern of `policy.hosts`. */
export interface HostPattern {
  readonly text: string;
  /** `**.` in front: any depth below the rest, not the rest itself. */
  readonly isDeep: boolean;
  /** Globs of DNS labels; one item for an IPv6 address, which nothing but itself matches. */
  readonly labels: readonly string[];
}

/** Undefined where it is no pattern: lower-case glob labels, `**.` in front for any depth; or an IP address. */
export function parseHostPattern(text: string): HostPattern | undefined {
  if (text.length > 253) return undefined;
  if (text.includes(":")) {
    const address = normalizeHost(text);
    return address.ok ? { text, isDeep: false, labels: [address.host] } : undefined;
  }
  const isDeep = text.startsWith("**.");
  const labels = (isDeep ? text.slice(3) : text).split(".");
  return labels.every(isLabelGlob) ? { text, isDeep, labels } : undefined;
}

/** A DNS label in which `*` stands for any part. */
export function isLabelGlob(text: string): boolean {
  return /^[a-z0-9*-]{1,63}$/.test(text) && !text.includes("**");
}

/**
 * Whether the pattern allows all that a route with this host answers. A wildcard host answers at any depth
 * (FACTS-APISIX.md), so that only a pattern for any depth is as wide.
 */
export function admits({ isDeep, labels }: HostPattern, host: string): boolean {
  const isWildcard = host.startsWith("*.");
  if (isWildcard && !isDeep) return false;
  const parts = host.startsWith("[") ? [host] : host.slice(isWildcard ? 2 : 0).split(".");
  // What is below is at least one label more.
  const least = labels.length + (isDeep && !isWildcard ? 1 : 0);
  if (isDeep ? parts.length < least : parts.length !== least) return false;
  const tail = parts.slice(-labels.length);
  return labels.every((glob, index) => matchesGlob(glob, tail[index] ?? ""));
}

/** Whether `*` of the glob can stand for parts of the text so that the two are equal. In time linear in the text for each `*`. */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) return text === glob;
  if (text.startsWith("[") || text.length < first.length + last.length) return false;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
