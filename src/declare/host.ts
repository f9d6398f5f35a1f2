export type HostResult =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly message: string };

/** What a host may be; ends every reason that is given for refusing one. */
export const allowedHost = 'allowed is a DNS name, an IP address, or "*." and a DNS name';

const maxHostLength = 253;
const maxLabelLength = 63;

const anyCaseLabel = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const hostPattern = `(\\*\\.)?${anyCaseLabel}(\\.${anyCaseLabel})*`;

/** What `normalizeHost` accepts, as JSON Schema; of IPv6 addresses only the characters. */
export const hostSchema = {
  type: "string",
  anyOf: [
    { pattern: `^${hostPattern}$`, maxLength: maxHostLength },
    { pattern: `^${hostPattern}\\.$`, maxLength: maxHostLength + 1 },
    { pattern: "^\\[?[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*\\]?$", maxLength: 47 },
  ],
} as const;

/**
 * Normalises the host of a route: lower case, one trailing dot dropped, IPv6 addresses compressed and in brackets
 * (as they stand in a request's Host). What can never match a request is refused; `message` says why and what is
 * allowed, and for a name that is not ASCII shows its `xn--` form. The rules are PRODUCT.md's grammar table and the
 * label rules of RFC 1123. Idempotent.
 */
export function normalizeHost(text: string): HostResult {
  // Before lower-casing: toLowerCase turns the Kelvin sign into an ASCII "k".
  if (!isAscii(text)) return refuse(notAscii(text));
  const lower = text.toLowerCase();
  const address = ipv6Host(lower);
  if (address !== undefined) return { ok: true, host: address };
  const host = lower.endsWith(".") ? lower.slice(0, -1) : lower;
  const fault = characterFault(host) ?? wildcardFault(host) ?? lengthFault(host);
  return fault === undefined ? { ok: true, host } : refuse(fault);
}

function refuse(fault: string): HostResult {
  return { ok: false, message: `${fault}; ${allowedHost}` };
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function notAscii(text: string): string {
  const ascii = asciiForm(text);
  return ascii === undefined
    ? "a host must be ASCII, and this one has no ASCII form"
    : `a host must be ASCII, written as "${ascii}"`;
}

/** The `xn--` form of a name that is not ASCII; undefined where there is none. */
function asciiForm(text: string): string | undefined {
  const prefix = text.startsWith("*.") ? "*." : "";
  const name = text.slice(prefix.length);
  // What URL would take as the end of the host, or drop, is not converted at all.
  if (name.length > maxHostLength || /[^a-z0-9.\-\u0080-\u{10ffff}]/iu.test(name)) return undefined;
  const ascii = urlHostname(name);
  return ascii === undefined || ascii.length > maxHostLength ? undefined : prefix + ascii;
}

/** `[…]` around the shortest form of an IPv6 address, with or without brackets; undefined for anything else. */
function ipv6Host(lower: string): string | undefined {
  const inner = lower.startsWith("[") && lower.endsWith("]") ? lower.slice(1, -1) : lower;
  if (inner.length > 45 || !inner.includes(":") || /[^0-9a-f:.]/.test(inner)) return undefined;
  return urlHostname(`[${inner}]`);
}

function urlHostname(host: string): string | undefined {
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    // Not a host that URL knows.
    return undefined;
  }
}

function characterFault(host: string): string | undefined {
  if (host === "") return "a host must not be empty";
  if (host.includes("://")) return "a host has no scheme";
  if (host.includes("/")) return "a host has no path";
  if (host.includes(":")) return "a host has no port";
  if (/[\s\p{Cc}]/u.test(host)) return "a host has no space or control character";
  const bad = /[^a-z0-9.*-]/.exec(host)?.[0];
  return bad === undefined ? undefined : `a host must not contain ${JSON.stringify(bad)}`;
}

function wildcardFault(host: string): string | undefined {
  if (host === "*") return '"*" alone would match every host';
  const rest = host.startsWith("*.") ? host.slice(2) : host;
  return rest.includes("*") ? '"*" may only stand in a leading "*."' : undefined;
}

function lengthFault(host: string): string | undefined {
  if (host.length > maxHostLength) return `a host has at most ${maxHostLength} characters`;
  const name = host.startsWith("*.") ? host.slice(2) : host;
  for (const label of name.split(".")) {
    if (label === "") return "a host has no empty label";
    if (label.length > maxLabelLength) return `a label of a host has at most ${maxLabelLength} characters`;
    if (label.startsWith("-") || label.endsWith("-"))
      return 'a label of a host has no "-" at its start or end';
  }
  return undefined;
}
