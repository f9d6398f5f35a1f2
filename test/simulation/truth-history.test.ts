import { expect, it } from "vitest";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import type { HostRule } from "./oracle/declared.ts";
import { idOf } from "./oracle/ownership.ts";
import { SeededRandom } from "./seeded-random.ts";
import { drawSetup, firstConfiguration } from "./setup.ts";
import { SimCluster } from "./sim-cluster.ts";
import { TruthHistory } from "./truth-history.ts";
import { VirtualTime } from "./virtual-time.ts";

const host = "a.example.com";
const admin = { name: "admin", port: 9090, host, uri: "/api" };
const identity = { share: "none", cluster: "east", kind: "pod", namespace: "shop", name: "web-0" } as const;
const webId = idOf("sim", { ...identity, route: "web" });
const adminId = idOf("sim", { ...identity, route: "admin" });

/** Ids of what is declared, and of what is merely kept, while one of a Pod's two routes has lost its name. */
function nameless(hosts: readonly HostRule[]): Record<"groups" | "kept", string[]> {
  const random = new SeededRandom(1);
  const time = new VirtualTime(random, false);
  const setup = { ...drawSetup(random), clusters: ["east"] };
  const first = firstConfiguration(setup);
  let configuration = first;
  const cluster = new SimCluster("east", setup, time, random);
  const history = new TruthHistory(
    "sim",
    () => configuration,
    () => 0,
  );
  const named = { namespace: "shop", name: "web-0", uid: "1" };
  cluster.store.create("pods", pod({ ...named, routes: [{ name: "web", port: 8080, host }, admin] }));
  history.note(cluster);
  cluster.store.update("pods", pod({ ...named, routes: [{ port: 8080, host }, admin] }));
  configuration = { ...first, policy: { ...first.policy, hosts } };
  history.note(cluster);
  const { groups, kept } = history.latest("east");
  return { groups: [...groups.keys()], kept: [...kept.keys()] };
}

it("a route whose name cannot be read any more is kept, the one beside it is declared", () => {
  expect(nameless([])).toEqual({ groups: [adminId], kept: [webId] });
});

it("a route that is named beside one whose name cannot be read is not kept once a policy forbids it", () => {
  expect(nameless([{ hosts: ["**.example.com"], namespaces: ["lab"] }])).toEqual({
    groups: [],
    kept: [webId],
  });
});

it("a fleet group is undeclared since the last cluster stopped declaring it, and not before now while one does", () => {
  const random = new SeededRandom(1);
  const setup = { ...drawSetup(random), clusters: ["east", "west"] };
  const configuration = firstConfiguration(setup);
  let now = 0;
  const history = new TruthHistory(
    "sim",
    () => configuration,
    () => now,
  );
  const time = new VirtualTime(random, false);
  const [east, west] = ["east", "west"].map((name) => new SimCluster(name, setup, time, random));
  if (east === undefined || west === undefined) throw new Error("two clusters");
  const routes = [{ name: "web", port: 8080, host, share: "fleet" }];
  const fleet = {
    share: "fleet",
    cluster: "",
    kind: "pod",
    namespace: "shop",
    name: "",
    route: "web",
  } as const;
  const id = idOf("sim", fleet);
  for (const cluster of [east, west]) {
    cluster.store.create("pods", pod({ namespace: "shop", name: "web-0", routes }));
    history.note(cluster);
  }
  const seen: number[] = [];
  for (const cluster of [east, west]) {
    now += 10;
    cluster.store.remove("pods", "shop/web-0");
    history.note(cluster);
    now += 1;
    seen.push(history.undeclaredSince(id));
  }
  now += 10;
  history.note(west);
  expect([...seen, history.undeclaredSince(id), history.undeclaredSince(webId)]).toEqual([11, 21, 21, 0]);
});
