import type { LostReason } from "../shard/link.ts";

/** Prefix of every metric that is the translator's own. */
export const metricPrefix = "apisix_translator_";

const reasons: Readonly<Record<LostReason, true>> = {
  ...{ exit: true, error: true, memory: true, hang: true, protocol: true, start: true },
};

/** Every reason for which a worker is replaced. */
export const restartReasons: readonly string[] = Object.keys(reasons);
