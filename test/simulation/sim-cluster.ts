import type { Cancel } from "../../src/runtime.ts";
import { EmbeddedCluster } from "../../src/sim/kubernetes/embedded-cluster.ts";
import { ClusterStore } from "../../src/sim/kubernetes/cluster-store.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import type { MemoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import { memoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import type { OpenWatch } from "../../src/sim/kubernetes/open-watch.ts";
import { firstToken, Kubeconfig } from "./kubeconfig.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Setup } from "./setup.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** Writes after which a resourceVersion is higher than any that was seen before a backup was restored. */
const farAhead = 1000;

/** Kinds that carry declarations, or that nodes are read from. */
export const heardKinds = ["pods", "services", "endpointslices", "nodes"] as const;
/** Addresses of Nodes begin so, and no others. */
export const nodeNet = "192.168.";

export type HeardKind = (typeof heardKinds)[number];

/** One simulated cluster: its truth, its faults, and the line to it. */
export class SimCluster {
  readonly name: string;
  readonly api: EmbeddedCluster;
  readonly line: MemoryKube;
  readonly kubeconfig: Kubeconfig;
  /** What its API server accepts, and what a kubeconfig that is well holds. */
  token = firstToken;
  /** What is true of it, whoever answers in its place. */
  store: ClusterStore;
  /** It was built anew under its name: whether an operator has said so yet. */
  rebuilt: "unknown" | "asked" | undefined;
  /** Something that it says may be lost on the way: who watches may not know the truth until it lists anew. */
  isGarbled = false;
  /** There are Services in this schedule. */
  hasServices = false;
  /** And Nodes, on which some of them rest. */
  hasNodes = false;
  /** Since when nothing of it can be heard; undefined: it can. */
  silentSince: number | undefined;
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #net: number;
  #tokens = 0;
  #addresses = 0;
  #endpoints = 0;
  #nodeAddresses = 0;
  /** When another cluster last ceased to answer in its place. */
  #itselfSince = -Infinity;
  #silences = 0;
  #cuts = 0;
  /** Run when it is believed. */
  #waiting: (() => void)[] = [];

  constructor(name: string, setup: Setup, time: VirtualTime, random: SeededRandom) {
    this.name = name;
    this.#time = time;
    this.#random = random;
    const index = setup.clusters.indexOf(name);
    this.#net = index;
    this.api = new EmbeddedCluster({ name, clock: time, random: random.next });
    this.store = this.api.store;
    this.kubeconfig = new Kubeconfig(this);
    this.api.faults.watchList = setup.watchLists[index] ?? true;
    this.line = memoryKube(this.api, {
      latency: () => (setup.kubeLatency === 0 ? 0 : random.between(0, setup.kubeLatency)),
      ...(setup.chopped ? { chop: random.next } : {}),
    });
  }

  get pods(): KubeObject[] {
    return this.store.values("pods");
  }

  get services(): KubeObject[] {
    return this.store.values("services");
  }

  get slices(): KubeObject[] {
    return this.store.values("endpointslices");
  }

  get nodes(): KubeObject[] {
    return this.store.values("nodes");
  }

  /** Kinds of which there is, or was, something to be heard. */
  get heard(): readonly HeardKind[] {
    if (!this.hasServices) return ["pods"];
    return heardKinds.filter((kind) => kind !== "nodes" || this.hasNodes);
  }

  /** Accepted beside the others from now on. */
  newToken(): string {
    this.token = `token-${++this.#tokens}`;
    this.api.access.tokens.add(this.token);
    return this.token;
  }

  /** An address that nobody else has. */
  newAddress(): string {
    const number = ++this.#addresses;
    return `10.${this.#net}.${number >> 8}.${number & 255}`;
  }

  /** Likewise, of no Pod. */
  newEndpointAddress(): string {
    const number = ++this.#endpoints;
    return `10.${this.#net + 100}.${number >> 8}.${number & 255}`;
  }

  /** Likewise, of a Node. */
  newNodeAddress(): string {
    return `${nodeNet}${this.#net}.${++this.#nodeAddresses}`;
  }

  /** Another cluster answers in its place. */
  get isImpostor(): boolean {
    return this.api.store !== this.store;
  }

  /** Whoever asks under this name is answered by it, or by nobody. */
  get isItself(): boolean {
    const { access } = this.kubeconfig;
    return !this.isImpostor && (access.type !== "token" || access.cluster === this);
  }

  /** Another cluster answers under this name, with the same Pods or with others, until `end` is called. */
  impersonate(pods: readonly KubeObject[]): Cancel {
    const store = this.#another(new Map([["pods", pods]]));
    return this.silence(() => {
      this.#answerAs(store);
      return () => this.#answerAs(this.store);
    });
  }

  /** From now on it is another one, in which these objects were made anew. */
  rebuild(objects: ReadonlyMap<HeardKind, readonly KubeObject[]>): void {
    this.store = this.#another(objects);
    this.rebuilt = "unknown";
    this.#answerAs(this.store);
  }

  /** An operator has said that the name stands for it now. */
  believe(): void {
    this.rebuilt = "asked";
    for (const run of this.#waiting.splice(0)) run();
  }

  onBelieved(run: () => void): void {
    this.#waiting.push(run);
  }

  #another(objects: ReadonlyMap<HeardKind, readonly KubeObject[]>): ClusterStore {
    const firstRevision = this.#random.int(2) === 0 ? 1 : this.store.revision + 100;
    const store = new ClusterStore({ clock: this.#time, random: this.#random.next, firstRevision });
    for (const [kind, all] of objects)
      for (const { metadata, ...rest } of all) {
        const { uid: _uid, ...others } = metadata;
        store.create(kind, { ...rest, metadata: others });
      }
    return store;
  }

  /** Whether a list that began then, and was heard to its end now, is the cluster's own, be it believed or not yet. */
  isOwn(startedAt: number): boolean {
    return !this.isImpostor && startedAt >= this.#itselfSince;
  }

  /** No connection outlives it. */
  #answerAs(store: ClusterStore): void {
    if (this.api.store === store) return;
    this.api.swapStore(store);
    if (this.#cuts === 0) {
      this.line.stop();
      this.line.start();
    }
    this.#itselfSince = this.#time.now();
  }

  /**
   * Whether what it says now may go unheard by who follows these kinds. A watch that a half-open network has silenced
   * brings nothing when that is over either: who watches takes it for alive until probes have told, up to 140 s later.
   * And where none is open, the next one goes on from what was read before.
   */
  isUnheardBy(followed: readonly HeardKind[]): boolean {
    const watches = (kind: HeardKind): OpenWatch[] => this.api.traffic.openWatches(kind);
    return (
      this.silentSince !== undefined ||
      this.heard.some((kind) => watches(kind).some(({ silent }) => silent)) ||
      followed.some((kind) => watches(kind).length === 0)
    );
  }

  /** Nothing of it is heard until `end` is called; silences may overlap. */
  silence(begin: () => Cancel): Cancel {
    this.#silences++;
    this.silentSince ??= this.#time.now();
    const mend = begin();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      mend();
      this.#silences--;
      if (this.#silences === 0) this.silentSince = undefined;
    };
  }

  /** Refuses connections and breaks open ones until `end` is called; cuts may overlap. */
  cutOff(): Cancel {
    this.#cuts++;
    this.line.stop();
    return () => {
      this.#cuts--;
      if (this.#cuts <= 0) this.line.start();
    };
  }

  /** Open watches break and cannot be resumed: whoever watches must list anew. */
  forceRelist(): void {
    // Whoever has seen everything, or more than a restored store has, could resume where it is.
    for (let left = this.isGarbled ? farAhead : 1; left > 0; left--)
      this.store.bumpNoise("namespaces", "default");
    for (const kind of this.heard) {
      this.store.compact(kind);
      for (const watch of this.api.traffic.openWatches(kind)) watch.cut();
    }
  }

  /** No fault is on any more. */
  heal(): void {
    const { watchList } = this.api.faults;
    this.api.faults.clear();
    this.api.faults.watchList = watchList;
    this.api.access.forbidden.clear();
    this.api.access.tokens.add(this.token);
    const { access } = this.kubeconfig;
    if (access.type !== "token" || access.cluster !== this || access.token !== this.token)
      this.kubeconfig.write({ type: "token", token: this.token, cluster: this });
    this.#answerAs(this.store);
    this.line.start();
    this.#cuts = 0;
    this.#silences = 0;
    this.silentSince = undefined;
  }
}
