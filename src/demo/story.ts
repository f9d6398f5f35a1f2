import type { JsonObject } from "../apisix/types.ts";
import { withRoutes } from "../sim/kubernetes/object-changes.ts";
import { pod } from "../sim/kubernetes/pod.ts";
import { humanEdit } from "./human-edit.ts";
import { serviceScene } from "./service-scene.ts";
import { hostOf, replicaOf } from "./demo-fleet.ts";
import { nodesOf, routeId, stands } from "./gateway-view.ts";
import type { Stage } from "./stage.ts";
import { count, notSeen, pause, until } from "./stage.ts";

/** One scene: what happens, and what the gateway saw of it. What was not seen is told as not seen. */
export interface Scene {
  readonly title: string;
  /** Its share of the story's time. */
  readonly weight: number;
  /** `most`: milliseconds that it has. */
  play(stage: Stage, most: number): Promise<void>;
}

export const scenes: readonly Scene[] = [
  { title: "a rollout", weight: 3, play: rollout },
  { title: "a Service", weight: 2, play: serviceScene },
  { title: "a conflict", weight: 2, play: conflict },
  { title: "a typo", weight: 3, play: typo },
  // A watch is opened again after a pause that grows while the cluster is away.
  { title: "a lost cluster", weight: 6, play: lostCluster },
  { title: "somebody's hand", weight: 2, play: humanEdit },
];

/** A Deployment of six Pods gets a new generation, Pod by Pod. */
async function rollout(stage: Stage, most: number): Promise<void> {
  const { fleet, writes, tell } = stage;
  const { store } = fleet.cluster("berlin");
  const id = routeId(stage, hostOf("web", "berlin"));
  const mark = writes.mark;
  for (let replica = 0; replica < 6; replica++) {
    store.create("pods", replicaOf("berlin", 0, "web", "2", replica));
    await pause(stage, most / 20);
    store.remove("pods", `shop/web-1-${replica}`);
    await pause(stage, most / 20);
  }
  const wait = most / 3;
  const isNew = (host: string): boolean => host.startsWith("10.0.22.");
  const isDone = (): boolean => nodesOf(stage, id).length > 0 && nodesOf(stage, id).every(isNew);
  const end = (await until(stage, isDone, wait)) ? "" : `; the last of it was ${notSeen(wait)}`;
  const { upstreams, routes } = writes.since(mark, (written) => written === id);
  tell(
    `berlin rolls out shop/web, six Pods: ${count(upstreams, "upstream write")}, ${count(routes, "route write")}${end}`,
  );
}

/** A younger Pod of another cluster wants a host that is taken. */
async function conflict(stage: Stage, most: number): Promise<void> {
  const { fleet, writes, tell } = stage;
  const host = hostOf("cart", "dublin");
  const id = routeId(stage, host);
  const routes = [{ name: "cart", port: 8080, host }];
  const { store } = fleet.cluster("tokyo");
  const mark = writes.mark;
  store.create("pods", pod({ namespace: "pirates", name: "raider", ip: "10.3.66.6", routes }));
  const wait = most / 2;
  const reason = await reasonOf(stage, { cluster: "tokyo", namespace: "pirates", name: "raider" }, [
    "Conflict",
    wait,
  ]);
  tell(`tokyo's pirates/raider wants ${host}, which is taken`);
  tell(`  ${reason === undefined ? `what it is told was ${notSeen(wait)}` : `it is told: ${reason}`}`);
  const untouched = writes.since(mark, (written) => written === id).routes;
  tell(
    `  the holder's route: ${count(untouched, "write")}, ${count(nodesOf(stage, id).length, "node")} of dublin behind it`,
  );
  store.remove("pods", "pirates/raider");
}

/** A bad annotation freezes its route; the mended one takes effect. */
async function typo(stage: Stage, most: number): Promise<void> {
  const { fleet, gateway, writes, tell } = stage;
  const { store } = fleet.cluster("oslo");
  const key = "data/db-0";
  const host = "db-0.oslo.shop.example.com";
  const id = routeId(stage, host);
  const mark = writes.mark;
  const wait = most / 3;
  store.patch("pods", key, (object) => withRoutes(object, [{ name: "sql", port: 8080, host, retries: 99 }]));
  const reason = await reasonOf(stage, { cluster: "oslo", namespace: "data", name: "db-0" }, [
    "Invalid",
    wait,
  ]);
  const { routes, deletes } = writes.since(mark, (written) => written === id);
  tell(`oslo's data/db-0 has a typo: ${reason ?? `what it is told was ${notSeen(wait)}`}`);
  tell(
    `  its route ${stands(stage, "routes", id) ? "stands" : "does not stand"}: ${count(routes, "route write")}, ${count(deletes, "delete")}`,
  );
  await pause(stage, most / 6);
  store.patch("pods", key, (object) => withRoutes(object, [{ name: "sql", port: 8080, host, priority: 5 }]));
  const priority = (): unknown =>
    (gateway.admin.store.get("routes", id)?.value as JsonObject | undefined)?.["priority"];
  const isInForce = await until(stage, () => priority() === 5, wait);
  tell(`  mended${isInForce ? ", and in force" : `; that it is in force was ${notSeen(wait)}`}`);
}

/** A cluster cannot be reached; a Pod ends meanwhile; then it is back. */
async function lostCluster(stage: Stage, most: number): Promise<void> {
  const { fleet, gateway, writes, tell } = stage;
  const { server, store } = fleet.cluster("oslo");
  const before = gateway.admin.store.size("routes");
  const id = routeId(stage, "db-2.oslo.shop.example.com");
  await server.stop();
  tell("oslo is lost: its API server refuses connections; while it is away data/db-2 ends there");
  const mark = writes.mark;
  store.remove("pods", "data/db-2");
  await pause(stage, most * 0.25);
  const lost = writes.since(mark).deletes;
  tell(
    `  unseen is not empty: ${count(lost, "delete")}, ${gateway.admin.store.size("routes")} of ${before} routes stand`,
  );
  await server.start();
  const wait = most * 0.65;
  const isGone = (): boolean => !stands(stage, "routes", id) && !stands(stage, "upstreams", id);
  const isSeen = await until(stage, isGone, wait);
  const { deletes } = writes.since(mark, (written) => written === id);
  const others = writes.since(mark).deletes - deletes;
  const what = isSeen
    ? `${count(deletes, "delete")}, data/db-2's route and upstream`
    : `the end of data/db-2's route and upstream was ${notSeen(wait)}`;
  tell(`  oslo is back: ${what}; ${count(others, "delete")} of anything else`);
}

/** What `explain` says of a Pod once it is in this state; undefined: it was not within so many milliseconds. */
async function reasonOf(
  stage: Stage,
  object: { readonly cluster: string; readonly namespace: string; readonly name: string },
  [state, most]: readonly [state: string, most: number],
): Promise<string | undefined> {
  const deadline = performance.now() + most;
  for (;;) {
    const { declarations } = await stage.explain({ kind: "object", source: "pod", ...object });
    const [found] = declarations;
    if (found?.state === state) return found.reason;
    if (performance.now() > deadline) return undefined;
    await pause(stage, 50);
  }
}
