import { endpointSlice, withEndpoints } from "../../src/sim/kubernetes/endpoint-slice.ts";
import type { Fleet, FleetCluster } from "../../src/sim/kubernetes/fleet.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { pod, withReady } from "../../src/sim/kubernetes/pod.ts";
import { service } from "../../src/sim/kubernetes/service.ts";

export interface PopulationSize {
  /** In each cluster. */
  readonly pods: number;
  readonly services: number;
  readonly endpoints: number;
}

type Random = () => number;

/** Passers-by that stand in a cluster at once. */
const mostPassing = 20;

/**
 * What lives in the clusters: a fixed number of Pods and Services that change, and Pods with new names that come and go. At
 * rest there is exactly as much as at the start, so whatever grows with time was left by what has been.
 */
export class Population {
  readonly #fleet: Fleet;
  readonly #size: PopulationSize;
  readonly #random: Random;
  readonly #passing: { readonly cluster: FleetCluster; readonly key: string }[] = [];
  /** Keys of Pods whose annotation cannot be used, by cluster. */
  readonly #broken = new Map<string, FleetCluster>();
  #made = 0;
  changes = 0;

  constructor(fleet: Fleet, size: PopulationSize, random: Random) {
    this.#fleet = fleet;
    this.#size = size;
    this.#random = random;
    for (const cluster of fleet.clusters) {
      for (let index = 0; index < size.pods; index++) {
        const routes = [route(`pod-${index}.${cluster.name}`)];
        cluster.store.create("pods", pod({ namespace: "shop", name: `pod-${index}`, routes }));
      }
      for (let index = 0; index < size.services; index++) this.#createService(cluster, `svc-${index}`);
    }
  }

  /** One change of something, somewhere. */
  change(): void {
    this.changes += 1;
    const cluster = this.#pick(this.#fleet.clusters);
    const key = `shop/pod-${this.#below(this.#size.pods)}`;
    const chance = this.#random();
    if (chance < 0.35) this.#patchPod(cluster, key, (object) => withReady(object, this.#random() < 0.5));
    else if (chance < 0.5) cluster.store.bumpNoise("pods", key);
    else if (chance < 0.7) this.#moveEndpoints(cluster);
    else if (chance < 0.85) this.#pass(cluster);
    else if (chance < 0.93) this.#edit(cluster, key);
    else this.#breakOrMend(cluster, key);
  }

  /** Passers-by are gone, annotations mended: as many objects as at the start. */
  rest(): void {
    for (const { cluster, key } of this.#passing.splice(0)) cluster.store.remove("pods", key);
    for (const [key, cluster] of this.#broken) this.#mend(cluster, key);
  }

  /** `host ip:port …` of everything declared, as it should stand at rest; sorted. Read off the objects, naively. */
  declared(): string[] {
    return this.#fleet.clusters
      .flatMap(({ store }) => [
        ...store.values("pods").map((object) => {
          const { conditions, podIP } = object.status as PodStatus;
          const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
          return line(object, ready ? [podIP] : []);
        }),
        ...store.values("services").map((object) => {
          const slice = store.get("endpointslices", `shop/${object.metadata.name}-abc12`);
          const { endpoints } = slice as unknown as Slice;
          return line(object, endpoints.filter(({ conditions }) => conditions.ready).flatMap(addresses));
        }),
      ])
      .toSorted();
  }

  #pass(cluster: FleetCluster): void {
    if (this.#passing.length > mostPassing * this.#random()) {
      const [oldest] = this.#passing.splice(0, 1);
      oldest?.cluster.store.remove("pods", oldest.key);
      return;
    }
    const name = `pass-${this.#made++}`;
    // Some want what another has.
    const host = this.#random() < 0.3 ? `svc-${this.#below(this.#size.services)}` : name;
    const good = [route(`${host}.${cluster.name}`)];
    const chance = this.#random();
    const routes = chance < 0.1 ? "not JSON" : chance < 0.2 ? [{ ...route("x"), host: "no_host" }] : good;
    cluster.store.create("pods", pod({ namespace: "shop", name, routes }));
    this.#passing.push({ cluster, key: `shop/${name}` });
  }

  #edit(cluster: FleetCluster, key: string): void {
    const host = `${key.slice("shop/".length)}-v${this.#made++}.${cluster.name}`;
    this.#patchPod(cluster, key, (object) => withRoutes(object, [route(host)]));
    this.#broken.delete(`${cluster.name} ${key}`);
  }

  #breakOrMend(cluster: FleetCluster, key: string): void {
    const at = `${cluster.name} ${key}`;
    if (this.#broken.has(at)) return this.#mend(cluster, at);
    const bad = this.#random() < 0.5 ? "not JSON" : [{ ...route("x"), host: "no_host" }];
    this.#patchPod(cluster, key, (object) => withRoutes(object, bad));
    this.#broken.set(at, cluster);
  }

  #mend(cluster: FleetCluster, at: string): void {
    this.#broken.delete(at);
    this.#edit(cluster, at.slice(cluster.name.length + 1));
  }

  #createService(cluster: FleetCluster, name: string): void {
    const routes = [{ ...route(`${name}.${cluster.name}`), port: 80 }];
    cluster.store.create("services", service({ namespace: "shop", name, routes }));
    const slice = endpointSlice({ namespace: "shop", service: name, endpoints: this.#endpoints() });
    cluster.store.create("endpointslices", slice);
  }

  #moveEndpoints(cluster: FleetCluster): void {
    const key = `shop/svc-${this.#below(this.#size.services)}-abc12`;
    cluster.store.patch("endpointslices", key, (slice) => withEndpoints(slice, this.#endpoints()));
  }

  #endpoints(): { ip: string; ready: boolean }[] {
    return Array.from({ length: this.#size.endpoints }, (_, index) => ({
      ip: `10.9.${this.#below(200)}.${index + 1}`,
      ready: this.#random() < 0.8,
    }));
  }

  #patchPod(cluster: FleetCluster, key: string, change: (object: KubeObject) => KubeObject): void {
    cluster.store.patch("pods", key, change);
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#below(all.length)] as T;
  }
}

interface PodStatus {
  readonly podIP: string;
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

interface Slice {
  readonly endpoints: readonly Endpoint[];
}

interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions: { readonly ready?: boolean };
}

function addresses(endpoint: Endpoint): readonly string[] {
  return endpoint.addresses;
}

function route(host: string): { name: string; port: number; host: string } {
  return { name: "web", port: 8080, host: `${host}.example.com` };
}

function line({ metadata }: KubeObject, ips: readonly string[]): string {
  const [declared] = JSON.parse(metadata.annotations?.["apisix-translator.io/routes"] ?? "[]") as [
    { readonly host: string },
  ];
  return [declared.host, ...ips.map((ip) => `${ip}:8080`).toSorted()].join(" ");
}
