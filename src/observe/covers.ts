import { pairHost, pairUri } from "../declare/pair.ts";
import type { Pair } from "../declare/pair.ts";
import type { Target } from "./target.ts";

/** How a pair answers a question for a host or a host and a uri. */
export type Cover = "exact" | "wider" | "no";

type PairTarget = Extract<Target, { readonly kind: "pair" }>;

/**
 * `exact`: it is the pair, or the host, that was asked for. `wider`: a request for that host and uri would match it by
 * `*.` or a uri's `*`, or it matches every host.
 */
export function covers(pair: Pair, target: PairTarget): Cover {
  if (!pair.startsWith(target.host) && !pair.startsWith("*.") && !pair.startsWith(" ")) return "no";
  return both(hostCovers(pairHost(pair), target), uriCovers(pairUri(pair), target));
}

/** The pairs of a route that cover the target so, a few of them: hosts and uris are judged each by themselves. */
export function pairsThatCover(
  { hosts, uris }: { readonly hosts: readonly string[]; readonly uris: readonly string[] },
  target: PairTarget,
  cover: Exclude<Cover, "no">,
  most: number,
): readonly Pair[] {
  const found: Pair[] = [];
  const ofUris = uris.map((uri) => uriCovers(uri, target));
  for (const host of hosts) {
    const ofHost = hostCovers(host, target);
    if (ofHost === "no") continue;
    for (const [at, uri] of uris.entries()) {
      if (found.length === most) return found;
      if (both(ofHost, ofUris[at] ?? "no") === cover) found.push(`${host} ${uri}`);
    }
  }
  return found;
}

function both(host: Cover, uri: Cover): Cover {
  if (host === "no" || uri === "no") return "no";
  return host === "exact" && uri === "exact" ? "exact" : "wider";
}

function hostCovers(own: string, { host }: PairTarget): Cover {
  if (own === host) return "exact";
  if (own === "") return "wider";
  return own.startsWith("*.") && host.length > own.length - 1 && host.endsWith(own.slice(1)) ? "wider" : "no";
}

function uriCovers(own: string, { uri }: PairTarget): Cover {
  if (uri === undefined || own === uri) return "exact";
  return own.endsWith("*") && uri.startsWith(own.slice(0, -1)) ? "wider" : "no";
}
