export type UriResult =
  | { readonly ok: true; readonly uri: string }
  | { readonly ok: false; readonly message: string };

/** APISIX's limit for a route's uri. */
const maxUriLength = 4096;

// White space and control characters, as the check below has them.
const refused =
  "/?#%*\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";
const character = `[^${refused}]`;
const noDot = `[^.${refused}]`;
const segment = `(${noDot}${character}*|\\.${noDot}${character}*|\\.\\.${character}+)`;

/** What `checkPath` accepts, as JSON Schema. */
export const pathSchema = {
  type: "string",
  pattern: `^/(${segment}/)*(${segment})?$`,
  maxLength: maxUriLength,
} as const;

/** What `checkUri` accepts, as JSON Schema. */
export const uriSchema = {
  type: "string",
  anyOf: [
    { pattern: pathSchema.pattern, maxLength: maxUriLength },
    { pattern: `^/(${segment}/)*${character}*\\*$`, maxLength: maxUriLength + 1 },
  ],
} as const;

/**
 * Checks the uri of a route: a path, or with `*` at its end a prefix. The gateway matches the decoded, normalised path
 * of a request, so what such a path never contains is refused: the route could never match (PRODUCT.md's grammar
 * table). A uri that is accepted is returned as written.
 */
export function checkUri(text: string): UriResult {
  const isPrefix = text.endsWith("*");
  const path = isPrefix ? text.slice(0, -1) : text;
  const fault = pathFault(path, '"*" may only stand at the end', isPrefix);
  return fault === undefined
    ? { ok: true, uri: text }
    : { ok: false, message: `${fault}; allowed is a path such as "/shop", or a prefix such as "/shop/*"` };
}

/** Checks a path that matches or replaces a path as a whole: as `checkUri`, but without `*`. */
export function checkPath(text: string): UriResult {
  const fault = pathFault(text, '"*" has no meaning here', false);
  return fault === undefined
    ? { ok: true, uri: text }
    : { ok: false, message: `${fault}; allowed is a path such as "/shop"` };
}

function pathFault(path: string, star: string, isPrefix: boolean): string | undefined {
  if (!path.startsWith("/")) return 'it must start with "/"';
  if (path.length > maxUriLength) return `it has at most ${maxUriLength} characters`;
  if (path.includes("?")) return 'it has no query ("?")';
  if (path.includes("#")) return 'it has no fragment ("#")';
  if (path.includes("%")) return 'it is the decoded path, without "%"';
  if (path.includes("*")) return star;
  if (/[\s\p{Cc}]/u.test(path)) return "it has no space or control character";
  if (!path.isWellFormed()) return "it has no unpaired surrogate";
  return segmentFault(path.slice(1).split("/"), isPrefix);
}

/** The last segment of a prefix is only the beginning of one: `/.*` matches `/.well-known`. */
function segmentFault(segments: readonly string[], isPrefix: boolean): string | undefined {
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (segment === "" && !last) return 'it has no empty segment ("//")';
    if ((segment === "." || segment === "..") && !(last && isPrefix)) return `it has no segment "${segment}"`;
  }
  return undefined;
}
