import type { JsonObject } from "../../src/apisix/types.ts";
import type { Kept } from "../../src/filter/kept.ts";
import { Filter } from "../../src/filter/pass.ts";
import { inBytes } from "../../src/shard/kept-bytes.ts";
import { packers, unpackEndpointSlice } from "../../src/shard/pack.ts";
import type { Change } from "../../src/shard/change.ts";
import type { FromShard, Known, ToShard } from "../../src/shard/protocol.ts";
import { keyOf } from "../../src/shard/quarantine.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { ObjectStore, type StoreKey } from "../../src/store/object-store.ts";
import type { Kind } from "../../src/watch/events.ts";
import { createShardHandler } from "../../workers/shard-handler.ts";

/** What stands in a gateway that takes everything, at once. */
interface Standing {
  upstream?: JsonObject;
  route?: JsonObject;
  known: Known;
}

/** The product's filter and shard, with a writer that does what it is told and a gateway that takes it. */
export class Incremental {
  readonly gateway = new Map<string, Standing>();
  readonly #store = new ObjectStore();
  readonly #filter = new Filter({ store: this.#store, packers, unpackSlice: unpackEndpointSlice });
  readonly #clusters: readonly { readonly name: string; readonly addressFamily: "IPv4" | "IPv6" | "dual" }[];
  #handle: (message: ToShard) => FromShard[];
  #waiting = new Map<string, Kept>();
  #vanished: StoreKey[] = [];
  #seq = 0;
  /** Upstream and route bodies that were written. */
  writes = 0;

  constructor(clusters: Incremental["clusters"]) {
    this.#clusters = clusters;
    this.#handle = this.#newShard();
  }

  get clusters(): readonly { readonly name: string; readonly addressFamily: "IPv4" | "IPv6" | "dual" }[] {
    return this.#clusters;
  }

  apply(cluster: string, kind: Kind, object: KubeObject): void {
    // As it comes from the wire: what is undefined is absent.
    const value: unknown = JSON.parse(JSON.stringify(object));
    this.#offer(
      this.#filter.offer({
        type: "apply",
        ...this.#key(cluster, kind, object),
        listed: false,
        wire: { stamp: undefined, fingerprint: () => undefined, value: () => value },
      }),
    );
  }

  remove(cluster: string, kind: Kind, object: KubeObject): void {
    this.#offer(this.#filter.offer({ type: "delete", relist: false, ...this.#key(cluster, kind, object) }));
  }

  /** The time of everything that has vanished is over. */
  lapse(): void {
    for (const key of this.#vanished.splice(0)) {
      const kept = this.#filter.lapse(key);
      if (kept !== undefined) this.#keep(kept);
    }
  }

  /** Sends what waits, and writes until there is nothing to write. */
  settle(): void {
    const entries = inBytes([...this.#waiting.values()]);
    this.#waiting = new Map();
    this.#work(this.#handle({ type: "batch", seq: ++this.#seq, entries }));
  }

  /** A new shard in the place of the old one, seeded with what is held and what stands. */
  restart(): void {
    this.#waiting = new Map();
    this.#handle = this.#newShard();
  }

  #newShard(): (message: ToShard) => FromShard[] {
    const handle = createShardHandler({
      ...{ shard: 0, instance: "default", defaultUri: "/*", plugins: [], by: "service" },
      nodePort: { maxNodes: 64, address: "InternalIP" },
      clusters: this.#clusters.map((cluster) => ({ ...cluster, weight: 100 })),
    });
    this.#handle = handle;
    for (const { name } of this.#clusters)
      this.#work(handle({ type: "cluster", cluster: name, uid: `uid-${name}` }));
    this.#work(handle({ type: "known", entries: [...this.gateway.values()].map(({ known }) => known) }));
    const kinds: readonly Kind[] = ["pods", "services", "endpointslices", "nodes"];
    const places = this.#clusters.flatMap(({ name }) => kinds.map((kind) => [name, kind] as const));
    const entries = places.flatMap(([cluster, kind]) =>
      [...this.#store.objects(cluster, kind)].map(({ namespace, name, packed }): Kept => {
        const slice = kind === "endpointslices" ? { service: unpackEndpointSlice(packed).service } : {};
        return { type: "apply", cluster, kind, namespace, name, ...slice, packed, at: 0 };
      }),
    );
    this.#work(handle({ type: "batch", seq: ++this.#seq, entries: inBytes(entries) }));
    for (const [cluster, kind] of places)
      this.#work(handle({ type: "settle", cluster, kind, token: ++this.#seq }));
    return handle;
  }

  #key(cluster: string, kind: Kind, { metadata: { namespace = "", name } }: KubeObject) {
    return { cluster, session: 1, kind, key: { namespace, name }, at: 1 };
  }

  #offer(verdict: ReturnType<Filter["offer"]>): void {
    if (!("kept" in verdict)) {
      if (verdict.dropped === "malformed") throw new Error(verdict.reason);
      return;
    }
    for (const kept of verdict.kept) this.#keep(kept);
    if (verdict.vanished !== undefined) this.#vanished.push(verdict.vanished);
  }

  #keep(kept: Kept): void {
    this.#waiting.set(keyOf(kept), kept);
  }

  #work(said: readonly FromShard[]): void {
    const queue = [...said];
    let handled = 0;
    for (let message = queue.shift(); message !== undefined; message = queue.shift()) {
      if (++handled > 1000) throw new Error("it turns in a circle");
      if ("changes" in message) for (const change of message.changes) queue.push(...this.#write(change));
      if (message.type !== "need") continue;
      const { upstream = null, route = null } = this.gateway.get(message.id) ?? {};
      queue.push(...this.#handle({ type: "kept", id: message.id, upstream, route }));
    }
  }

  #write({ id, identity, stand }: Change): FromShard[] {
    const before = this.gateway.get(id);
    if (stand.type === "absent") {
      if (before === undefined) return [];
      this.gateway.delete(id);
      const gone = this.#handle({ type: "known", entries: [{ id, identity }] });
      return [...gone, ...this.#handle({ type: "forget", ids: [id] })];
    }
    if (stand.type !== "live" && stand.type !== "frozen") return [];
    let standing: Standing = before ?? { known: { id, identity } };
    const others: FromShard[] = [];
    for (const resource of ["upstream", "route"] as const) {
      const isWanted = resource === "upstream" ? stand.upstream : stand.type === "live" && stand.route;
      if (!isWanted) continue;
      const pairs = stand.type === "live" && resource === "route" ? { pairs: stand.pairs } : {};
      const answers = this.#handle({ type: "want", id, resource, ...pairs });
      const body = answers.find((answer) => answer.type === "body");
      others.push(...answers.filter((answer) => answer.type !== "body"));
      if (body === undefined) continue;
      this.writes++;
      const members = body.members === undefined ? {} : { members: body.members };
      standing = {
        ...standing,
        [resource]: JSON.parse(body.body) as JsonObject,
        known: { ...standing.known, ...members, [resource]: { digest: body.digest } },
      };
    }
    if (standing === before || standing.known.upstream === undefined) return others;
    this.gateway.set(id, standing);
    return [...others, ...this.#handle({ type: "known", entries: [standing.known] })];
  }
}
