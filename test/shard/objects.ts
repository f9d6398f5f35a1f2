import type { Identity } from "../../src/apisix/types.ts";
import { packPod } from "../../src/shard/pack.ts";
import type { Applied } from "../../src/shard/shards.ts";
import type { PodProjection } from "../../src/store/projection.ts";

function pod(name: string, changes: Partial<PodProjection> = {}): PodProjection {
  return {
    kind: "pod",
    namespace: "shop",
    name,
    uid: `uid-${name}`,
    created: 1_700_000_000_000,
    terminating: false,
    phase: "Running",
    ready: true,
    ips: ["10.0.0.1"],
    ports: [],
    controller: "",
    routes: JSON.stringify([{ name: "web", port: 8080, host: `${name}.example.com` }]),
    paused: false,
    ...changes,
  };
}

export function applied(name: string, at = 0, changes: Partial<PodProjection> = {}): Applied {
  const projection = pod(name, changes);
  const { namespace } = projection;
  return { type: "apply", cluster: "east", kind: "pods", namespace, name, packed: packPod(projection), at };
}

export function deleted(name: string, at = 0) {
  return { type: "delete", cluster: "east", kind: "pods", namespace: "shop", name, at } as const;
}

export function identity(name: string, changes: Partial<Identity> = {}): Identity {
  return { share: "none", cluster: "east", kind: "pod", namespace: "shop", name, route: "web", ...changes };
}
