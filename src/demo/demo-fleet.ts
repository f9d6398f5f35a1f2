import type { ClusterStore } from "../sim/kubernetes/cluster-store.ts";
import type { Fleet } from "../sim/kubernetes/fleet.ts";
import { pod, withReady } from "../sim/kubernetes/pod.ts";
import type { Pod } from "../sim/kubernetes/pod.ts";
import type { Random } from "../runtime.ts";
import { fillService } from "./service-scene.ts";

/** What runs in the demo's clusters: in each a shop of three Deployments and a StatefulSet, in one a Service. */
export const clusterNames = ["berlin", "dublin", "oslo", "tokyo"] as const;

const replicas = 6;
const apps = ["cart", "search", "web"] as const;

/** The host of an application in one cluster. */
export function hostOf(app: string, cluster: string): string {
  return `${app}.${cluster}.shop.example.com`;
}

export function fillFleet(fleet: Fleet): number {
  let pods = 0;
  for (const [number, { name, store }] of fleet.clusters.entries()) {
    if (name === "dublin") fillService(store);
    for (const app of apps) {
      for (let replica = 0; replica < replicas; replica++) {
        store.create("pods", replicaOf(name, number, app, "1", replica));
        pods++;
      }
    }
    for (let ordinal = 0; ordinal < 3; ordinal++) {
      const host = `db-${ordinal}.${name}.shop.example.com`;
      const routes = [{ name: "sql", port: 8080, host }];
      store.create(
        "pods",
        pod({ namespace: "data", name: `db-${ordinal}`, ip: `10.${number}.9.${ordinal + 1}`, routes }),
      );
      pods++;
    }
  }
  return pods;
}

/** One Pod of a Deployment's generation. */
export function replicaOf(
  cluster: string,
  number: number,
  app: string,
  generation: string,
  replica: number,
): Pod {
  const third = apps.indexOf(app as (typeof apps)[number]) * 10 + Number(generation);
  return pod({
    ...{ namespace: "shop", name: `${app}-${generation}-${replica}`, owner: `${app}-${generation}` },
    ip: `10.${number}.${third}.${replica + 1}`,
    routes: [{ name: app, port: "http", host: hostOf(app, cluster) }],
  });
}

/**
 * One moment of gentle life: mostly what every cluster sends all day and what means nothing, now and then a Pod that
 * turns ready or not.
 */
export function live(stores: readonly ClusterStore[], random: Random): void {
  for (const store of stores) {
    const pods = store.values("pods");
    const pick = (): string | undefined => {
      const metadata = pods[Math.floor(random() * pods.length)]?.metadata;
      return metadata === undefined ? undefined : `${metadata.namespace ?? ""}/${metadata.name}`;
    };
    for (let noise = 0; noise < 3; noise++) {
      const key = pick();
      if (key !== undefined) store.bumpNoise("pods", key);
    }
    const key = pick();
    if (key === undefined || random() > 0.2 || !key.startsWith("shop/")) continue;
    const isReady = JSON.stringify(store.get("pods", key)).includes('{"type":"Ready","status":"True"');
    store.patch("pods", key, (object) => withReady(object, !isReady));
  }
}
