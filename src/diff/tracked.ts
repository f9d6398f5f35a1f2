import type { Standing } from "../apisix/types.ts";
import type { Settings } from "../desired/settings.ts";
import type { Change } from "../shard/change.ts";

/**
 * What the shard has said about one group, and what it knows of its content.
 *
 * A content is `clean` while it is what stands, `dirty` when it may differ and the writer has been told or is about to
 * be, `sent` when its body has been handed out and the answer is not known.
 */
export interface Tracked {
  upstream: Content;
  route: Content;
  /** What the upstream's content was made from when its state was last judged: its nodes as `nodeText` has them. */
  nodes: string | undefined;
  basis: string;
  /** Labels that say whose it is. */
  owners: string;
  /** Key of the settings that the route's state was judged by. */
  routeKey: string;
  /**
   * The upstream body that was handed out last, where it has not been seen to stand: its digest, and whose settings it has;
   * undefined: those that were kept.
   */
  sent: { readonly digest: string; readonly settings: Settings | undefined } | undefined;
  /** The last word, without the flags of content; and the flags that the writer has not yet taken up. */
  word: string;
  told: { upstream: boolean; route: boolean };
  /** Live when last judged, and nobody is paused: what it means does not depend on what stands. */
  isPlain: boolean;
  /** An upstream's body has been handed out, and nothing has been heard of the upstream since. */
  awaitsUpstream: boolean;
  /** Nothing stands, but an upstream that was sent before may still come to stand. */
  mayCome: boolean;
  /** A `need` is on its way. */
  needed: boolean;
  /** When the oldest event behind what has not been announced was read. */
  at: number | undefined;
  /** More nodes than a body may hold: how many. */
  oversize: number | undefined;
}

export interface Content {
  state: "clean" | "dirty" | "sent";
  /** Digest of the content as last built; undefined once it has changed since. */
  digest: string | undefined;
}

/**
 * Of a group that is gone, or not to be written as it is declared: the writer may let go of what it was handed. Should the
 * group come back, the writer has to hear that the content may differ, unless an answer has come meanwhile.
 */
export function letGo(content: Content): Content {
  return content.state === "sent" ? { ...content, state: "dirty" } : content;
}

/** Whatever was judged of the content is to be judged anew. */
export function nothingStands(): Pick<
  Tracked,
  "upstream" | "route" | "routeKey" | "awaitsUpstream" | "mayCome"
> {
  return {
    awaitsUpstream: false,
    mayCome: false,
    upstream: { state: "dirty", digest: undefined },
    route: { state: "dirty", digest: undefined },
    routeKey: "",
  };
}

export function newTracked(): Tracked {
  // One literal: an object that is spread and then added to keeps its properties in an array of their own.
  return {
    upstream: { state: "dirty", digest: undefined },
    route: { state: "dirty", digest: undefined },
    routeKey: "",
    nodes: undefined,
    basis: "",
    owners: "",
    sent: undefined,
    word: "",
    told: { upstream: false, route: false },
    isPlain: false,
    awaitsUpstream: false,
    mayCome: false,
    needed: false,
    at: undefined,
    oversize: undefined,
  };
}

/** Everything of a change that a later one must differ in to be worth saying, but for the flags of content. */
export function wordOf(change: Change): string {
  const { stand } = change;
  const said =
    stand.type === "live"
      ? [stand.age, stand.pairs, stand.inherits, stand.nodes === 0, stand.bare]
      : stand.type === "frozen"
        ? [stand.nodes === 0, stand.bare, stand.onlyLost]
        : stand.type === "absent"
          ? [stand.grace, stand.cause]
          : [];
  return JSON.stringify([stand.type, said, change.counts, change.reason ?? "", change.nodeClusters ?? []]);
}

export function differsFrom(standing: Standing | undefined, content: Content): boolean {
  return content.digest !== undefined && standing?.digest !== content.digest;
}

/** The content that was built last is what stands now. */
export function settleContent(standing: Standing | undefined, content: Content): void {
  if (content.digest === undefined || standing?.digest !== content.digest) return;
  content.state = "clean";
  // One string for both, where each is in memory of its own.
  content.digest = standing.digest;
}
