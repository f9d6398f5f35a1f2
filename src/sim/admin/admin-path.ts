/** Paths as nginx reads them: decoded first, then slashes merged and dots resolved. So `a%2Fb` is two segments (recorded). */

export interface AdminPath {
  /** Under `/apisix/admin`. */
  readonly admin: boolean;
  /** After `/apisix/admin`, or all of them. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** @returns `undefined` for what nginx refuses: a bad escape, or dots that lead out. */
export function parseAdminPath(target: string): AdminPath | undefined {
  const at = target.indexOf("?");
  const segments = segmentsOf(at < 0 ? target : target.slice(0, at));
  if (segments === undefined) return undefined;
  const query = at < 0 ? noQuery : new URLSearchParams(target.slice(at + 1));
  if (segments[0] === "apisix" && segments[1] === "admin")
    return { admin: true, segments: segments.slice(2), query };
  return { admin: false, segments, query };
}

const noQuery = new URLSearchParams();

function segmentsOf(path: string): readonly string[] | undefined {
  let decoded: string;
  try {
    decoded = path.includes("%") ? decodeURIComponent(path) : path;
  } catch {
    return undefined;
  }
  const segments: string[] = [];
  for (const segment of decoded.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments;
}
