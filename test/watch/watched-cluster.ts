import { silentLog, type Log, type Random } from "../../src/runtime.ts";
import { EmbeddedCluster } from "../../src/sim/kubernetes/embedded-cluster.ts";
import { memoryKube, type MemoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import { startCluster, type ClusterWatch, type WatchedAs } from "../../src/watch/cluster-watch.ts";
import type { Kind, KindHealth, WatchEvent } from "../../src/watch/events.ts";
import type { KubeTransport } from "../../src/watch/transport.ts";
import { readers } from "../protobuf/readers.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

export interface WatchedOptions {
  readonly random?: Random;
  /** Cut pieces of the stream at random. */
  readonly chop?: Random;
  readonly historyLength?: number;
  /** Stands between the watch and the server. */
  readonly through?: (transport: KubeTransport) => KubeTransport;
  readonly emit?: (event: WatchEvent) => void;
  readonly namespaces?: readonly string[];
  readonly log?: Log;
}

/** A watch of Pods over an embedded cluster in memory, on virtual time, and what it says. */
export class WatchedCluster {
  readonly clock = new VirtualClock();
  readonly cluster: EmbeddedCluster;
  readonly network: MemoryKube;
  readonly events: WatchEvent[] = [];
  readonly faults: unknown[] = [];
  unreadable = 0;
  /** `namespace/name` → uid, as a later stage would hold them. */
  readonly held = new Map<string, string>();
  readonly watch: ClusterWatch;
  /** Of the sessions that are opened from now on. */
  token = "sim-token";
  /** Says that what the newest connection was made from has changed. */
  stale: () => void = () => {};
  closed = 0;
  /** Kinds of each first attempt that is over. */
  readonly firstAttemptsOver: (readonly Kind[])[] = [];

  constructor(options: WatchedOptions = {}) {
    const { random = () => 0.5, chop, historyLength, through = (transport) => transport } = options;
    this.cluster = new EmbeddedCluster({
      name: "east-1",
      clock: this.clock,
      random: () => 0,
      ...(historyLength === undefined ? {} : { historyLength }),
    });
    this.network = memoryKube(this.cluster, chop === undefined ? {} : { chop });
    this.watch = startCluster<WatchedAs>({
      cluster: { name: "east-1", namespaces: options.namespaces ?? [] },
      kinds: ["pods"],
      readers,
      connect: () => {
        const transport = this.network.transport(this.token);
        const send: KubeTransport = (request) => transport(request);
        return Promise.resolve(
          Object.assign(through(send), {
            close: async () => void this.closed++,
            whenStale: (run: () => void) => (this.stale = run),
          }),
        );
      },
      clock: this.clock,
      random,
      log: options.log ?? silentLog,
      emit: (event) => {
        this.#hold(event);
        options.emit?.(event);
      },
      onFault: (error) => this.faults.push(error),
      onUnreadable: () => this.unreadable++,
      onFirstAttemptOver: (kinds) => this.firstAttemptsOver.push(kinds),
    });
  }

  #hold(event: WatchEvent): void {
    this.events.push(event);
    if (event.type === "apply") {
      const { metadata } = event.wire.value() as { metadata: { uid: string } };
      this.held.set(`${event.key.namespace}/${event.key.name}`, metadata.uid);
    } else if (event.type === "delete") {
      this.held.delete(`${event.key.namespace}/${event.key.name}`);
    }
  }

  get health(): KindHealth {
    const { pods } = this.watch.health();
    if (pods === undefined) throw new Error("Pods are not watched");
    return pods;
  }

  /** What the cluster holds and the watch should see. */
  get truth(): Map<string, string> {
    const enabled = this.cluster.store
      .values("pods")
      .filter(({ metadata }) => metadata.labels?.["apisix-translator.io/enabled"] === "true");
    return new Map(
      enabled.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.uid ?? ""]),
    );
  }

  addPods(count: number, prefix = "web"): void {
    for (let index = 0; index < count; index++) this.addPod(`${prefix}-${index}`);
  }

  addPod(name: string, namespace = "shop"): void {
    const labels = { "apisix-translator.io/enabled": "true" };
    this.cluster.store.create("pods", { metadata: { namespace, name, labels } });
  }

  removePod(name: string): void {
    this.cluster.store.remove("pods", `shop/${name}`);
  }

  /** Types of the events since index `from`. */
  said(from = 0): string[] {
    return this.events.slice(from).map((event) => {
      const relisted = event.type === "delete" && event.relist;
      return relisted ? "relist delete" : event.type;
    });
  }

  /** Paths of list and watch requests for Pods since index `from`, with what matters of the query. */
  asked(from = 0): string[] {
    return this.cluster.traffic.requests.slice(from).flatMap(({ path, resource }) => {
      if (resource !== "pods") return [];
      const query = new URLSearchParams(path.split("?")[1]);
      if (query.has("sendInitialEvents")) return ["watchList"];
      if (query.has("watch")) return [`watch ${query.get("resourceVersion")}`];
      if (query.get("limit") === "1") return ["probe"];
      return [query.has("continue") ? "next page" : "list"];
    });
  }

  get requestCount(): number {
    return this.cluster.traffic.requests.length;
  }
}
