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
export function covers(pair: Pair, { host, uri }: PairTarget): Cover {
  if (!pair.startsWith(host) && !pair.startsWith("*.") && !pair.startsWith(" ")) return "no";
  const pairsHost = pairHost(pair);
  if (pairsHost !== host && !isWiderHost(pairsHost, host)) return "no";
  if (uri === undefined) return pairsHost === host ? "exact" : "wider";
  const pairsUri = pairUri(pair);
  if (pairsUri === uri) return pairsHost === host ? "exact" : "wider";
  return pairsUri.endsWith("*") && uri.startsWith(pairsUri.slice(0, -1)) ? "wider" : "no";
}

function isWiderHost(wide: string, host: string): boolean {
  if (wide === "") return true;
  return wide.startsWith("*.") && host.length > wide.length - 1 && host.endsWith(wide.slice(1));
}
