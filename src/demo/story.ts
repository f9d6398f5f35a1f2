import type { JsonObject } from "../apisix/types.ts";
import { withRoutes } from "../sim/kubernetes/object-changes.ts";
import { pod } from "../sim/kubernetes/pod.ts";
import { hostOf, replicaOf } from "./demo-fleet.ts";
import type { Stage } from "./stage.ts";
import { count, pause, until } from "./stage.ts";

/** One scene: what happens, and what the gateway saw of it. */
export interface Scene {
  readonly title: string;
  /** Milliseconds that it has, at most. */
  play(stage: Stage, most: number): Promise<void>;
}

export const scenes: readonly Scene[] = [
  { title: "a rollout", play: rollout },
  { title: "a conflict", play: conflict },
  { title: "a typo", play: typo },
  { title: "a lost cluster", play: lostCluster },
  { title: "somebody's hand", play: humanEdit },
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
  await until(stage, () => nodesOf(stage, id).every((host) => host.startsWith("10.0.22.")), most / 3);
  const { upstreams, routes } = writes.since(mark, (written) => written === id);
  tell(
    `berlin rolls out shop/web, six Pods: ${count(upstreams, "upstream write")}, ${count(routes, "route write")}`,
  );
}

/** A younger Pod of another cluster wants a host that is taken. */
async function conflict(stage: Stage, most: number): Promise<void> {
  const { fleet, tell } = stage;
  const host = hostOf("cart", "dublin");
  const routes = [{ name: "cart", port: 8080, host }];
  fleet
    .cluster("tokyo")
    .store.create("pods", pod({ namespace: "pirates", name: "raider", ip: "10.3.66.6", routes }));
  const reason = await reasonOf(stage, "tokyo", "pirates", "raider", "Conflict", most / 2);
  tell(`tokyo's pirates/raider wants ${host}, which is taken. It is told: ${reason}`);
  tell(
    `  the holder's route is untouched: ${count(nodesOf(stage, routeId(stage, host)).length, "node")} of dublin behind it`,
  );
  fleet.cluster("tokyo").store.remove("pods", "pirates/raider");
}

/** A bad annotation freezes its route; the mended one takes effect. */
async function typo(stage: Stage, most: number): Promise<void> {
  const { fleet, writes, tell } = stage;
  const { store } = fleet.cluster("oslo");
  const key = "data/db-0";
  const host = "db-0.oslo.shop.example.com";
  const id = routeId(stage, host);
  const mark = writes.mark;
  store.patch("pods", key, (object) => withRoutes(object, [{ name: "sql", port: 8080, host, retries: 99 }]));
  const reason = await reasonOf(stage, "oslo", "data", "db-0", "Invalid", most / 3);
  const { routes, deletes } = writes.since(mark, (written) => written === id);
  tell(`oslo's data/db-0 has a typo: ${reason}`);
  tell(`  its route stands as it was: ${count(routes, "route write")}, ${count(deletes, "delete")}`);
  await pause(stage, most / 4);
  store.patch("pods", key, (object) => withRoutes(object, [{ name: "sql", port: 8080, host, priority: 5 }]));
  const route = (): JsonObject => stage.gateway.admin.store.get("routes", id)?.value as JsonObject;
  if (await until(stage, () => route()["priority"] === 5, most / 3)) tell("  mended, and in force");
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
  await pause(stage, most * 0.4);
  const lost = writes.since(mark, (written) => written === id);
  tell(
    `  unseen is not empty: ${count(lost.deletes, "delete")}, ${gateway.admin.store.size("routes")} of ${before} routes stand`,
  );
  await server.start();
  await until(stage, () => gateway.admin.store.get("routes", id) === undefined, most * 0.5);
  const { deletes } = writes.since(mark);
  tell(
    `  oslo is back and listed: ${count(deletes, "delete")}, of data/db-2's route and upstream and nothing else`,
  );
}

/** Somebody edits one of our upstreams in APISIX. */
async function humanEdit(stage: Stage, most: number): Promise<void> {
  const { gateway, controller, tell } = stage;
  const id = routeId(stage, hostOf("cart", "tokyo"));
  const found = gateway.admin.store.get("upstreams", id)?.value as JsonObject;
  const { create_time: _created, update_time: _updated, ...body } = found;
  const nodes = [{ host: "192.0.2.1", port: 1, weight: 100 }];
  gateway.admin.handle({
    method: "PUT",
    path: `/apisix/admin/upstreams/${id}`,
    body: JSON.stringify({ ...body, nodes }),
  });
  tell("somebody points the upstream of tokyo's shop/cart at 192.0.2.1 by hand");
  await pause(stage, most / 4);
  await controller.audit.run();
  const restored = await until(stage, () => !nodesOf(stage, id).includes("192.0.2.1"), most / 2);
  if (restored) tell(`  the audit finds it and restores ${count(nodesOf(stage, id).length, "node")}`);
}

function routeId({ gateway }: Stage, host: string): string {
  const routes = gateway.admin.store.list("routes");
  const route = routes.find(({ value }) =>
    ((value as JsonObject)["hosts"] as string[] | undefined)?.includes(host),
  );
  return String((route?.value as JsonObject | undefined)?.["id"] ?? "");
}

function nodesOf({ gateway }: Stage, id: string): string[] {
  const upstream = gateway.admin.store.get("upstreams", id)?.value as
    | { nodes?: { host: string }[] }
    | undefined;
  return (upstream?.nodes ?? []).map(({ host }) => host);
}

/** What `explain` says of a Pod once it is in this state. */
async function reasonOf(
  stage: Stage,
  cluster: string,
  namespace: string,
  name: string,
  state: string,
  most: number,
): Promise<string> {
  const deadline = performance.now() + most;
  for (;;) {
    const target = { kind: "object", cluster, namespace, source: "pod", name } as const;
    const { declarations } = await stage.controller.observation.explain(target);
    const [found] = declarations;
    if (found?.state === state) return found.reason;
    if (performance.now() > deadline) return `(nothing within ${Math.round(most)} ms)`;
    await pause(stage, 50);
  }
}
