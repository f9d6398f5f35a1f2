import { afterEach, describe, expect, it } from "vitest";
import { EventClient } from "../../../src/observe/events/event-client.ts";
import { EventSender } from "../../../src/observe/events/event-sender.ts";
import { kubeEvent } from "../../../src/observe/events/kube-event.ts";
import type { KubeEvent } from "../../../src/observe/events/kube-event.ts";
import type { Log } from "../../../src/runtime.ts";
import { silentLog } from "../../../src/runtime.ts";
import { EmbeddedCluster } from "../../../src/sim/kubernetes/embedded-cluster.ts";
import { statusFault } from "../../../src/sim/kubernetes/faults.ts";
import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { memoryKube } from "../../../src/sim/kubernetes/memory-kube.ts";
import type { KubeConnection } from "../../../src/watch/kube-connection.ts";
import { VirtualClock } from "../../sim/admin/virtual-clock.ts";

const faults: unknown[] = [];
afterEach(() => expect(faults.splice(0)).toEqual([]));

function world() {
  const clock = new VirtualClock();
  const cluster = new EmbeddedCluster({ name: "east", clock, random: Math.random });
  cluster.store.create("namespaces", { metadata: { name: "shop" } });
  const kube = memoryKube(cluster);
  const lines: string[] = [];
  const say = (_fields: object, message: string): void => void lines.push(message);
  const log: Log = { ...silentLog, info: say, warn: say };
  let connections = 0;
  const token = { now: "sim-token" };
  const connect = (): Promise<KubeConnection> => {
    connections++;
    return Promise.resolve(Object.assign(kube.transport(token.now), { close: () => Promise.resolve() }));
  };
  const client = new EventClient({ clock, connect });
  const onFault = (error: unknown): void => void faults.push(error);
  const sender = new EventSender({ clock, random: () => 1, log, client, onFault });
  const events = (): KubeObject[] => cluster.store.values("events");
  return { clock, cluster, sender, lines, token, events, connections: () => connections };
}

function event(name: string, reason = "x", type: KubeEvent["type"] = "Warning"): KubeEvent {
  const regarded = { cluster: "east", kind: "pod", namespace: "shop", name, uid: name, route: "r" } as const;
  const state = type === "Warning" ? "Invalid" : "Routed";
  return kubeEvent("default", regarded, state, reason, { type, at: 1_800_000_000_000 });
}

describe("the sender of a cluster's Events", () => {
  it("sends some at once and then two a second, and of one declaration the newest alone", async () => {
    const { clock, sender, events } = world();
    for (let index = 0; index < 100; index++) sender.offer(`p-${index}`, event(`p-${index}`, "old"));
    for (let index = 0; index < 100; index++) sender.offer(`p-${index}`, event(`p-${index}`, "new"));
    await clock.advance(100);
    expect(events().length).toBe(20);
    await clock.advance(10_000);
    expect(events().length).toBe(40);
    await clock.advance(100_000);
    expect(events().length).toBe(100);
    // The first was on its way.
    expect(events().filter((each) => "note" in each && each.note === "route r: old")).toHaveLength(0);
  });

  it("a problem that ends before anybody was told of it holds nothing up: neither is told", async () => {
    const { clock, sender, events } = world();
    for (let index = 0; index < 150; index++) sender.offer(`p-${index}`, event(`p-${index}`), true);
    await clock.advance(100);
    for (let index = 0; index < 150; index++) sender.offer(`p-${index}`, event(`p-${index}`, "x", "Normal"));
    sender.offer("late", event("late"), true);
    // Twenty were told, and are told to be over.
    await clock.advance(11_000);
    expect(events()).toHaveLength(41);
    expect(events().filter((each) => "type" in each && each.type === "Normal")).toHaveLength(20);
    expect(sender.waiting).toBe(0);
  });

  it("a problem that was told, ended and came back, and ends again, is told to be over", async () => {
    const { clock, sender, events } = world();
    sender.offer("a", event("a"), true);
    await clock.advance(100);
    // The end waits behind others, and the problem comes and goes once more meanwhile.
    for (let index = 0; index < 30; index++) sender.offer(`p-${index}`, event(`p-${index}`), true);
    sender.offer("a", event("a", "x", "Normal"));
    sender.offer("a", event("a", "y"), true);
    sender.offer("a", event("a", "x", "Normal"));
    await clock.advance(20_000);
    expect(events().filter((each) => "type" in each && each.type === "Normal")).toHaveLength(1);
  });

  it("holds a thousand, drops the oldest, and says once how many", async () => {
    const { clock, sender, events, lines } = world();
    for (let index = 0; index < 3000; index++) sender.offer(`p-${index}`, event(`p-${index}`));
    expect(sender.waiting).toBe(1000);
    await clock.advance(600_000);
    expect(events().length).toBe(1000);
    expect(lines).toEqual(["more problems than Events are written"]);
  });

  it("drops no end of a problem that was told for one that was not, whichever came first", async () => {
    const { clock, sender, events } = world();
    const ends = (): KubeObject[] => events().filter((each) => "type" in each && each.type === "Normal");
    for (let index = 0; index < 20; index++) sender.offer(`p-${index}`, event(`p-${index}`), true);
    await clock.advance(100);
    for (let index = 0; index < 20; index++) sender.offer(`p-${index}`, event(`p-${index}`, "x", "Normal"));
    for (let index = 20; index < 3000; index++) sender.offer(`p-${index}`, event(`p-${index}`), true);
    // Nobody was told of these, and most were dropped: their ends are nobody's news.
    for (let index = 20; index < 3000; index++)
      sender.offer(`p-${index}`, event(`p-${index}`, "x", "Normal"));
    expect(sender.waiting).toBe(20);
    await clock.advance(600_000);
    expect(ends()).toHaveLength(20);
    expect(events()).toHaveLength(40);
  });

  it("tries again after 503, 429 and a connection that breaks, and says so once", async () => {
    const { clock, sender, events, lines, cluster } = world();
    cluster.faults.onRequest({ resource: "events" }, statusFault(503), { times: 1 });
    cluster.faults.onRequest({ resource: "events" }, { type: "reset" }, { times: 1 });
    cluster.faults.onRequest({ resource: "events" }, { type: "hang" }, { times: 1 });
    sender.offer("a", event("a"));
    await clock.advance(60_000);
    expect(events().length).toBe(1);
    expect(lines).toEqual(["Events cannot be written now", "Events can be written again"]);
  });

  it("connects anew when its credential is refused", async () => {
    const { clock, sender, events, token, cluster, connections } = world();
    cluster.access.tokens.clear();
    cluster.access.tokens.add("fresh");
    sender.offer("a", event("a"));
    await clock.advance(100);
    expect(events()).toEqual([]);
    token.now = "fresh";
    await clock.advance(10_000);
    expect(events().length).toBe(1);
    expect(connections()).toBe(2);
  });

  it("makes an Event again that expired between the two requests", async () => {
    const { clock, sender, events, cluster } = world();
    sender.offer("a", event("a"));
    await clock.advance(100);
    cluster.faults.onRequest({ resource: "events", verb: "patch" }, { type: "slow", ms: 1000 }, { times: 1 });
    sender.offer("a", event("a"));
    await clock.advance(500);
    cluster.store.remove("events", `shop/${event("a").name}`);
    await clock.advance(60_000);
    expect(events()).toEqual([expect.not.objectContaining({ series: expect.anything() as unknown })]);
  });

  it("stops in the middle of a request and of a wait", async () => {
    const { clock, sender, events, cluster } = world();
    cluster.faults.onRequest({ resource: "events" }, { type: "hang" });
    sender.offer("a", event("a"));
    await clock.advance(100);
    await sender.stop();
    cluster.faults.clear();
    sender.offer("b", event("b"));
    await clock.advance(60_000);
    expect(events()).toEqual([]);
  });
});
