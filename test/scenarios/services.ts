import type { EndpointSliceOptions, SliceEndpoint } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";
import type { ServiceOptions } from "../../src/sim/kubernetes/service.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import type { PipelineOptions } from "../pipeline/pipeline.ts";
import { Pipeline } from "../pipeline/pipeline.ts";

/** Of the Service `web` unless said otherwise. */
export const host = "web.example.com";

/** How `explain` is asked for the Service `web`. */
export const target = "east/shop/service/web";

/** A Service of the namespace `shop` that exposes its port 80, named `http`, as its route `web`. */
export function shop(
  name: string,
  options: Partial<ServiceOptions> = {},
  fields: object = {},
): ReturnType<typeof service> {
  const routes = [{ name: "web", port: 80, host: `${name}.example.com`, ...fields }];
  return service({ namespace: "shop", name, routes, ...options });
}

/** A slice `NAME` of the Service `web` with these endpoints: addresses, or more. */
export function slice(
  name: string,
  endpoints: readonly (string | SliceEndpoint)[],
  options: Partial<EndpointSliceOptions> = {},
): ReturnType<typeof endpointSlice> {
  const all = endpoints.map((each) => (typeof each === "string" ? { ip: each } : each));
  return endpointSlice({ namespace: "shop", service: "web", name, endpoints: all, ...options });
}

/** `prefix.0`, `prefix.1`, … */
export function ips(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}.${index}`);
}

/** What vanishes from a slice takes longer to be gone than any test does. */
export const patient = { settings: { throttle: { quiet: "100s", maxDelay: "100s" } } };

/** One cluster, `east`, with the Service `web` and these slices, reconciled. */
export async function webWith(
  slices: readonly ReturnType<typeof slice>[],
  options: PipelineOptions & {
    readonly service?: ReturnType<typeof service>;
    /** How many routes stand in the end; default one. */
    readonly routes?: number;
  } = {},
): Promise<Pipeline> {
  const pipeline = await Pipeline.start(["east"], {
    memoryShards: true,
    ...options,
    before: async (started) => {
      const { store } = started.fleet.cluster("east");
      store.create("services", options.service ?? shop("web"));
      for (const each of slices) store.create("endpointslices", each);
      await options.before?.(started);
    },
  });
  await pipeline.reconciled(options.routes ?? 1);
  return pipeline;
}

/** Numbers of nodes in every upstream body written since `from`. */
export function sizesSince(pipeline: Pipeline, from: number): number[] {
  return pipeline.writes
    .slice(from)
    .filter(({ resource }) => resource === "upstreams")
    .map(({ body }) => (body as { nodes: unknown[] }).nodes.length);
}
