import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/apisix/types.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { clusters, events, type OracleEvent } from "./events.ts";
import { Incremental } from "./incremental.ts";
import type { NaiveCluster } from "./naive-cluster.ts";
import { Naive, type NaiveGroup } from "./naive.ts";

/** `ORACLE_SEQUENCES=10000 npx vitest run test/oracle` is the long run; `ORACLE_SEED`: the same ones again. */
const sequences = Number(process.env["ORACLE_SEQUENCES"] ?? 120);
const { ORACLE_SEED: seed } = process.env;

interface World extends NaiveCluster {
  readonly services: Map<string, KubeObject>;
  readonly slices: Map<string, KubeObject>;
  readonly nodes: Map<string, KubeObject>;
  vanished: KubeObject[];
}

interface Slice extends KubeObject {
  readonly endpoints: readonly { readonly addresses: readonly string[]; readonly conditions: Conditions }[];
}
interface Conditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

const serviceOf = ({ metadata: { labels = {} } }: KubeObject): string | undefined =>
  labels["multicluster.kubernetes.io/service-name"] === undefined
    ? labels["kubernetes.io/service-name"] || undefined
    : undefined;

/** The slice cut to those of its endpoints that `next` lacks, unless it now belongs to nobody or to another Service. */
function cut(was: KubeObject, next: KubeObject | undefined): KubeObject[] {
  if (serviceOf(was) === undefined || (next !== undefined && serviceOf(next) !== serviceOf(was))) return [];
  const left = new Set(((next as Slice | undefined)?.endpoints ?? []).map(({ addresses }) => addresses[0]));
  const endpoints = (was as Slice).endpoints.filter(({ addresses }) => !left.has(addresses[0]));
  return [{ ...was, endpoints } as KubeObject];
}

class Both {
  readonly #worlds = new Map<string, World>();
  readonly #naive = new Naive(this.#worlds);
  readonly #incremental = new Incremental(clusters);

  constructor() {
    for (const { name, addressFamily } of clusters) {
      const objects = { services: new Map(), slices: new Map(), nodes: new Map(), vanished: [] };
      this.#worlds.set(name, { ...objects, family: addressFamily });
    }
  }

  play(event: OracleEvent): void {
    switch (event.type) {
      case "apply":
        this.#change(event.cluster, event.kind, event.object.metadata.name, event.object);
        return this.#incremental.apply(event.cluster, event.kind, event.object);
      case "remove": {
        const held = this.#change(event.cluster, event.kind, event.name, undefined);
        if (held !== undefined) this.#incremental.remove(event.cluster, event.kind, held);
        return;
      }
      case "lapse":
        for (const world of this.#worlds.values()) world.vanished = [];
        return this.#incremental.lapse();
      case "settle":
        return this.settle();
      case "restart":
        this.settle();
        return this.#incremental.restart();
    }
  }

  settle(): void {
    const expected = new Map([...this.#naive.settle()].map(([id, group]) => [id, wordsOf(group)]));
    this.#incremental.settle();
    const found = new Map([...this.#incremental.gateway].map(([id, stands]) => [id, wordsOfBodies(stands)]));
    expect(sorted(found)).toEqual(sorted(expected));
  }

  #change(
    cluster: string,
    kind: string,
    name: string,
    object: KubeObject | undefined,
  ): KubeObject | undefined {
    const world = this.#worlds.get(cluster)!;
    const objects = kind === "services" ? world.services : kind === "nodes" ? world.nodes : world.slices;
    const held = objects.get(name);
    if (held !== undefined && kind === "endpointslices") world.vanished.push(...cut(held, object));
    if (object === undefined) objects.delete(name);
    else objects.set(name, object);
    return held;
  }
}

function wordsOf({ settings, nodes }: NaiveGroup): object {
  const { host, retries, scheme, selection } = settings;
  const select = `${selection.port},${selection.via},${selection.all ? "all" : "ready"}`;
  return { host, retries, scheme, select, nodes };
}

function wordsOfBodies({ upstream, route }: { upstream?: JsonObject; route?: JsonObject }): object {
  const nodes = (upstream?.["nodes"] ?? []) as {
    host: string;
    port: number;
    weight: number;
    metadata?: { cluster: string };
  }[];
  const labels = upstream?.["labels"] as Record<string, string> | undefined;
  return {
    host: (route?.["hosts"] as string[] | undefined)?.[0],
    ...{
      retries: upstream?.["retries"],
      scheme: upstream?.["scheme"],
      select: labels?.["translator/select"],
    },
    nodes: nodes.map(
      ({ host, port, weight, metadata }) => `${host}:${port} ${weight} ${metadata?.cluster ?? ""}`,
    ),
  };
}

const sorted = (groups: ReadonlyMap<string, object>): object =>
  Object.fromEntries([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));

test(`after any of ${sequences} sequences of events what stands is what a naive translation of the objects says`, () => {
  fc.assert(
    fc.property(events, (sequence) => {
      const both = new Both();
      for (const event of sequence) both.play(event);
      both.settle();
      both.play({ type: "lapse" });
      both.settle();
    }),
    { numRuns: sequences, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
}, 600_000);
