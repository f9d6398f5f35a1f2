import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import type { SourceFacts } from "./declared.ts";

/** What speaks best for one address behind a Service: 3 ready, 2 not ready, 1 terminating and serving, 0 neither. */
export interface Endpoint {
  readonly address: string;
  readonly rank: number;
  /** Names of the Nodes that it is said to be on. */
  readonly nodes: readonly string[];
}

interface Slice {
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly nodeName?: string;
    readonly conditions: {
      readonly ready?: boolean;
      readonly serving?: boolean;
      readonly terminating?: boolean;
    };
  }[];
}

/** Endpoints of a Service in all its slices; every port of it is in each of them. */
export function endpointsIn(slices: readonly KubeObject[], { namespace, name }: SourceFacts): Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const object of slices) {
    const { labels } = object.metadata;
    const isOf = labels?.["kubernetes.io/service-name"] === name && object.metadata.namespace === namespace;
    if (!isOf || labels["apisix-translator.io/enabled"] !== "true") continue;
    for (const { addresses, conditions, nodeName } of (object as unknown as Slice).endpoints) {
      const { ready = true, serving: serves = true, terminating = false } = conditions;
      const rank = ready ? 3 : !terminating ? 2 : serves ? 1 : 0;
      const [address = ""] = addresses;
      const nodes = nodeName === undefined ? [] : [nodeName];
      const other = found.get(address) ?? { rank: -1, nodes: [] };
      if (rank > other.rank) found.set(address, { address, rank, nodes });
      else if (rank === other.rank) found.set(address, { address, rank, nodes: [...nodes, ...other.nodes] });
    }
  }
  return [...found.values()];
}

/** Those that are nodes. `all`: also those that are not ready. */
export function serving(endpoints: readonly Endpoint[], all: boolean): readonly Endpoint[] {
  const good = endpoints.filter(({ rank }) => rank >= (all ? 2 : 3));
  return good.length > 0 ? good : endpoints.filter(({ rank }) => rank === 1);
}

/** Every address that the object may have given, whatever it declares. */
export function addressesOf({ ip, endpoints = [], hostNodes = [] }: SourceFacts): string[] {
  return [...(ip === undefined ? [] : [ip]), ...[...endpoints, ...hostNodes].map(({ address }) => address)];
}
