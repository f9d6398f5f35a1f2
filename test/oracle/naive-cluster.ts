import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";

/** All that one cluster holds. */
export interface NaiveCluster {
  readonly services: ReadonlyMap<string, KubeObject>;
  readonly slices: ReadonlyMap<string, KubeObject>;
  readonly nodes: ReadonlyMap<string, KubeObject>;
  /** Slices cut to what has vanished from them a moment ago. */
  readonly vanished: readonly KubeObject[];
  readonly family: "IPv4" | "IPv6" | "dual";
}

interface Slice {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly addressType: string;
  readonly ports: readonly { readonly name?: string; readonly port?: number }[];
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

interface Row {
  readonly node: string;
  readonly on: string | undefined;
  readonly rank: number;
}

/** Who answers a Service of this cluster at a port of this name; `on`: its Node. */
export function endpointsOf(
  { slices, vanished, family }: NaiveCluster,
  service: string,
  port: string,
  all: boolean,
): { readonly node: string; readonly on: string | undefined }[] {
  const rowsOf = (some: Iterable<KubeObject>): Row[] =>
    [...some]
      .map((object) => object as unknown as Slice)
      .filter((slice) => slice.metadata.labels["kubernetes.io/service-name"] === service)
      .filter((slice) => slice.metadata.labels["multicluster.kubernetes.io/service-name"] === undefined)
      .filter((slice) => (family === "dual" ? slice.addressType !== "FQDN" : slice.addressType === family))
      .flatMap((slice) => rowsOfSlice(slice, port));
  const there = rowsOf(slices.values());
  const gone = rowsOf(vanished).filter((row) => !there.some(({ node }) => node === row.node));
  const every = [...there, ...gone];
  // The best of those that speak of one node; several that are alike all count.
  const rows = every.filter((row) => every.every(({ node, rank }) => node !== row.node || rank <= row.rank));
  const ready = rows.filter(({ rank }) => rank >= (all ? 2 : 3));
  // Who has vanished may be gone: others stand in meanwhile, beside it.
  if (ready.some((row) => there.includes(row))) return ready;
  return [...ready, ...rows.filter(({ rank }) => rank === 1)];
}

function rowsOfSlice(slice: Slice, wanted: string): Row[] {
  const port = slice.ports.find(({ name = "" }) => name === wanted)?.port;
  if (port === undefined) return [];
  return slice.endpoints.map(({ addresses: [address = ""], nodeName, conditions }) => {
    const { ready = true, serving = true, terminating = false } = conditions;
    const rank = ready ? 3 : !terminating ? 2 : serving ? 1 : 0;
    return { node: `${address.includes(":") ? `[${address}]` : address}:${port}`, on: nodeName, rank };
  });
}
