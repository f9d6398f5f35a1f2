import { Histogram } from "prom-client";
import type { Registry } from "prom-client";
import { metricPrefix } from "./metric-names.ts";

/** Half a millisecond is what the translator itself adds; a minute is what waits for a burst or for APISIX. */
const propagationBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

const requestBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Histograms {
  readonly propagation: Histogram;
  readonly requests: Histogram<"method" | "resource">;
}

/** Fed once a request, which costs a thousand times as much. */
export function declareHistograms(registry: Registry): Histograms {
  const propagation = new Histogram({
    name: `${metricPrefix}propagation_seconds`,
    help: "From the read of a watch event to the Admin API's answer to the write that it caused.",
    buckets: propagationBuckets,
    registers: [registry],
  });
  const requests = new Histogram({
    name: `${metricPrefix}admin_request_seconds`,
    help: "Requests to the Admin API.",
    labelNames: ["method", "resource"] as const,
    buckets: requestBuckets,
    registers: [registry],
  });
  return { propagation, requests };
}
