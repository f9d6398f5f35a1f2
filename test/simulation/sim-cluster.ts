import type { Cancel } from "../../src/runtime.ts";
import { EmbeddedCluster } from "../../src/sim/kubernetes/embedded-cluster.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import type { MemoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import { memoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { Setup } from "./setup.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One simulated cluster: its truth, its faults, and the line to it. */
export class SimCluster {
  readonly name: string;
  readonly api: EmbeddedCluster;
  readonly line: MemoryKube;
  /** Something that it says may be lost on the way: who watches may not know the truth until it lists anew. */
  isGarbled = false;
  /** Since when nothing of it can be heard; undefined: it can. */
  silentSince: number | undefined;
  readonly #time: VirtualTime;
  #silences = 0;
  #cuts = 0;

  constructor(name: string, setup: Setup, time: VirtualTime, random: SeededRandom) {
    this.name = name;
    this.#time = time;
    const index = setup.clusters.indexOf(name);
    this.api = new EmbeddedCluster({ name, clock: time, random: random.next });
    this.api.faults.watchList = setup.watchLists[index] ?? true;
    this.line = memoryKube(this.api, {
      latency: () => (setup.kubeLatency === 0 ? 0 : random.between(0, setup.kubeLatency)),
      ...(setup.chopped ? { chop: random.next } : {}),
    });
  }

  get pods(): KubeObject[] {
    return this.api.store.values("pods");
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
    // Whoever has seen everything could resume where it is.
    this.api.store.bumpNoise("namespaces", "default");
    this.api.store.compact("pods");
    for (const watch of this.api.traffic.openWatches("pods")) watch.cut();
  }

  /** No fault is on any more. */
  heal(): void {
    const { watchList } = this.api.faults;
    this.api.faults.clear();
    this.api.faults.watchList = watchList;
    this.api.access.forbidden.clear();
    this.api.access.tokens.add("sim-token");
    this.line.start();
    this.#cuts = 0;
    this.#silences = 0;
    this.silentSince = undefined;
  }
}
