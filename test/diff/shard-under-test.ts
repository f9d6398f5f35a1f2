import type { JsonObject } from "../../src/apisix/types.ts";
import { bytesOfText } from "../../src/store/byte-text.ts";
import type { PodProjection } from "../../src/store/projection.ts";
import { packPod } from "../../src/shard/pack.ts";
import type { Change } from "../../src/shard/change.ts";
import type { FromShard, GonePart, Known, ShardOptions, ToShard } from "../../src/shard/protocol.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";

/** What a Pod declares. */
export const web = [{ name: "web", port: "http", host: "shop.example.com" }];

/** One shard, spoken to as the main thread does, with what APISIX would answer. */
export class ShardUnderTest {
  readonly said: FromShard[] = [];
  readonly gateway = new Map<string, { upstream?: JsonObject; route?: JsonObject; known: Known }>();
  readonly #handle: (message: ToShard) => FromShard[];
  #goneParts: GonePart[] = [];
  #seq = 0;

  constructor(options: Partial<ShardOptions> = {}) {
    const { clusters = [{ name: "east", addressFamily: "IPv4", weight: 100 }] } = options;
    this.#handle = createShardHandler({
      shard: 0,
      instance: "default",
      clusters,
      defaultUri: "/*",
      plugins: [],
      nodePort: { maxNodes: 64, address: "InternalIP" },
      by: "service",
      ...options,
    });
    for (const { name } of clusters) this.send({ type: "cluster", cluster: name, uid: `uid-${name}` });
  }

  send(message: ToShard): FromShard[] {
    const said = this.#handle(message);
    this.said.push(...said);
    for (const message of said) if (message.type === "parts") this.#goneParts.push(...message.parts);
    return said;
  }

  pods(...pods: PodProjection[]): Change[] {
    return this.podsOf("east", ...pods);
  }

  podsOf(cluster: string, ...pods: PodProjection[]): Change[] {
    return changesIn(this.#apply(cluster, 0, pods));
  }

  /** `bodies`: so many may come unasked. */
  podsWith(bodies: number, ...pods: PodProjection[]): FromShard[] {
    return this.#apply("east", bodies, pods);
  }

  #apply(cluster: string, bodies: number, pods: readonly PodProjection[]): FromShard[] {
    const entries = pods.map((pod) => ({
      ...({ type: "apply", cluster, kind: "pods", at: 1, packed: bytesOfText(packPod(pod)) } as const),
      ...{ namespace: pod.namespace, name: pod.name },
    }));
    return this.send({ type: "batch", seq: this.#seq++, entries, bodies });
  }

  gone({ namespace, name }: Pick<PodProjection, "namespace" | "name">, cluster = "east"): Change[] {
    const entry = { type: "delete", cluster, kind: "pods", namespace, name, at: 1 } as const;
    return changesIn(this.send({ type: "batch", seq: this.#seq++, entries: [entry] }));
  }

  settle(cluster = "east"): Change[] {
    return changesIn(this.send({ type: "settle", cluster, kind: "pods", token: 1 }));
  }

  unsettle(cluster: string): Change[] {
    return changesIn(this.send({ type: "unsettle", cluster, kind: "pods" }));
  }

  /** The guard lets go every part that a list took away. */
  letGo(): Change[] {
    const parts = this.#goneParts;
    this.#goneParts = [];
    return parts.flatMap(({ id, cluster }) => changesIn(this.send({ type: "letGo", id, cluster })));
  }

  /** Writes what a change announces, as the writer would, and tells the shard that it stands. */
  write(change: Change): { upstream?: JsonObject; route?: JsonObject; changes: Change[] } {
    const written: { upstream?: JsonObject; route?: JsonObject } = {};
    const before = this.gateway.get(change.id);
    let known: Known = before?.known ?? { id: change.id, identity: change.identity };
    const { stand } = change;
    if (
      (stand.type === "live" || stand.type === "frozen") &&
      (stand.upstream || known.upstream === undefined)
    ) {
      const answer = this.body(change.id, "upstream");
      if (answer !== undefined) {
        written.upstream = answer.body;
        const { digest, members } = answer;
        known = { ...known, upstream: { digest }, ...(members === undefined ? {} : { members }) };
      }
    }
    if (stand.type === "live" && stand.route) {
      const answer = this.body(change.id, "route", stand.pairs);
      if (answer !== undefined) {
        written.route = answer.body;
        known = { ...known, route: { digest: answer.digest } };
      }
    }
    if (known.upstream !== undefined || known.route !== undefined) {
      this.gateway.set(change.id, { ...before, ...written, known });
    }
    return { ...written, changes: changesIn(this.send({ type: "known", entries: [known] })) };
  }

  body(id: string, resource: "upstream" | "route", pairs?: readonly string[]): Built | undefined {
    const said = this.send({ type: "want", id, resource, ...(pairs === undefined ? {} : { pairs }) });
    const answer = said.find((message) => message.type === "body");
    if (answer === undefined) return undefined;
    const { digest, members } = answer;
    return { body: JSON.parse(answer.body) as JsonObject, digest, members };
  }

  /** Answers every open `need` from what was written. */
  answerNeeds(): Change[] {
    const needs = this.said.filter((message) => message.type === "need");
    this.said.length = 0;
    return needs.flatMap(({ id }) => {
      const { upstream = null, route = null } = this.gateway.get(id) ?? {};
      return changesIn(this.send({ type: "kept", id, upstream, route }));
    });
  }

  /** A new shard that knows what this one wrote, and nothing else. */
  successor(options: Partial<ShardOptions> = {}): ShardUnderTest {
    const next = new ShardUnderTest(options);
    for (const [id, entry] of this.gateway) next.gateway.set(id, entry);
    next.send({ type: "known", entries: [...this.gateway.values()].map(({ known }) => known) });
    return next;
  }
}

interface Built {
  readonly body: JsonObject;
  readonly digest: string;
  readonly members: Known["members"] | undefined;
}

function changesIn(said: readonly FromShard[]): Change[] {
  return said.flatMap((message) => ("changes" in message ? message.changes : []));
}

export function pod(given: Partial<PodProjection> & { readonly declares?: unknown } = {}): PodProjection {
  const { declares, ...rest } = given;
  return {
    kind: "pod",
    namespace: "shop",
    name: "web-0",
    uid: `uid-${rest.name ?? "web-0"}`,
    created: 1_000_000,
    terminating: false,
    phase: "Running",
    ready: true,
    ips: ["10.0.0.1"],
    ports: [["http", 8080]],
    controller: "",
    routes: declares === undefined ? undefined : JSON.stringify(declares),
    paused: false,
    ...rest,
  };
}
