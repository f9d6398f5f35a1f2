/** What the translator held at rest, after collection. */
export interface Holding {
  /** Bytes of objects in the main thread's heap, and in all shards' together. */
  readonly heap: number;
  readonly shards: number;
  /** Bytes of compiled code in all heaps. */
  readonly code: number;
  /** Bytes outside of the heaps: packed objects, network. */
  readonly buffers: number;
  readonly rss: number;
  /** Timers that keep the process alive: all of its own. */
  readonly timers: number;
  /** Open file descriptors, and how many of them are sockets. */
  readonly handles: number;
  readonly sockets: number;
  /** What keeps the process alive, by type: for people. */
  readonly resources: Readonly<Record<string, number>>;
}

/** RSS and code are told and not judged: what an allocator gives back and what a compiler compiles is their own affair. */
const judged = ["heap", "shards", "buffers", "timers", "handles", "sockets"] as const;
type Judged = (typeof judged)[number];

/**
 * Growth below this is no leak, whatever its share: of twenty timers one is 5% already; a cluster's idle sockets stay for 90 s
 * after they were last needed, so that its last fault says how many there are (two, at four clusters); network buffers are had
 * in pieces of 64 KiB, up to one a socket.
 */
const slack: Readonly<Record<Judged, number>> = {
  ...{ heap: 0, shards: 0, buffers: 1024 * 1024, timers: 2, handles: 8, sockets: 8 },
};

/** Of several looks at the same rest: the least of each. What is garbage or on its way out in one is gone in another. */
export function leastOf(looks: readonly Holding[]): Holding {
  const [first, ...rest] = looks;
  if (first === undefined) throw new Error("nothing was read");
  return rest.reduce((least, look) => {
    const lesser = Object.fromEntries(judged.map((name) => [name, Math.min(least[name], look[name])]));
    return { ...look, ...lesser, rss: Math.min(least.rss, look.rss) };
  }, first);
}

export interface Growth {
  /** `last ÷ first − 1` of each. */
  readonly growth: Readonly<Record<Judged, number>>;
  /** What grew by more than the margin. */
  readonly leaks: readonly Judged[];
}

/** `margin`: as 0.05. Less than before is never a leak. */
export function growthOf(first: Holding, last: Holding, margin: number): Growth {
  const growth = Object.fromEntries(
    judged.map((name) => [name, Number((last[name] / Math.max(1, first[name]) - 1).toFixed(4))]),
  ) as Record<Judged, number>;
  const leaks = judged.filter(
    (name) => last[name] - first[name] > Math.max(slack[name], margin * first[name]),
  );
  return { growth, leaks };
}
