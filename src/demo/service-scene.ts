import { endpointSlice, withEndpoints } from "../sim/kubernetes/endpoint-slice.ts";
import type { ClusterStore } from "../sim/kubernetes/cluster-store.ts";
import { service } from "../sim/kubernetes/service.ts";
import { nodesOf, routeId } from "./gateway-view.ts";
import type { Stage } from "./stage.ts";
import { count, notSeen, pause, until } from "./stage.ts";

const namespace = "shop";
const name = "api";
const host = "api.dublin.shop.example.com";
const perSlice = 100;

/** Address of one of the Pods behind the Service. */
const ipOf = (generation: number, index: number): string => `10.1.${generation}.${index % 250}`;

/** The Service `api` with 120 endpoints in two slices. */
export function fillService(store: ClusterStore): void {
  const routes = [{ name: "api", port: 80, host }];
  store.create("services", service({ namespace, name, routes }));
  const all = Array.from({ length: 120 }, (_, index) => ({ ip: ipOf(100, index) }));
  for (const [index, endpoints] of [all.slice(0, perSlice), all.slice(perSlice)].entries()) {
    store.create(
      "endpointslices",
      endpointSlice({ namespace, service: name, name: `api-${index}`, endpoints }),
    );
  }
}

/** What slices say all day and means nothing; an endpoint that moves; and twenty that are replaced. */
export async function serviceScene(stage: Stage, most: number): Promise<void> {
  const { fleet, writes, tell } = stage;
  const { store } = fleet.cluster("dublin");
  const id = routeId(stage, host);
  const isOurs = (written: string): boolean => written === id;
  const rest = Array.from({ length: 20 }, (_, index) => ({ ip: ipOf(100, perSlice + index) }));
  const set = (ips: readonly { readonly ip: string }[]): void =>
    void store.patch("endpointslices", `${namespace}/api-1`, (object) => withEndpoints(object, ips));
  let mark = writes.mark;
  for (let time = 0; time < 50; time++) store.bumpNoise("endpointslices", `${namespace}/api-0`);
  set(rest.toReversed());
  await pause(stage, most / 4);
  const noise = writes.since(mark, isOurs).upstreams;
  tell(`dublin's Service shop/api, 120 endpoints: 51 events that mean nothing: ${count(noise, "write")}`);
  mark = writes.mark;
  const young = rest.map((_, index) => ({ ip: ipOf(101, index) }));
  for (let done = 4; done <= 20; done += 4) {
    set([...young.slice(0, done), ...rest.slice(done)]);
    await pause(stage, most / 20);
  }
  const wait = most / 3;
  const isDone = (): boolean => {
    const nodes = nodesOf(stage, id);
    return nodes.length === 120 && young.every(({ ip }) => nodes.includes(ip));
  };
  const end = (await until(stage, isDone, wait)) ? "" : `; the last of it was ${notSeen(wait)}`;
  const { upstreams, routes } = writes.since(mark, isOurs);
  tell(
    `  twenty of its Pods are replaced: ${count(upstreams, "upstream write")}, ${count(routes, "route write")}${end}`,
  );
}
