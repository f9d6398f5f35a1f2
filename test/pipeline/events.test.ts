import { expect, it } from "vitest";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { withDeletion, withRoutes } from "../../src/sim/kubernetes/object-changes.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { born, entry, web } from "../scenarios/pods.ts";
import { Pipeline } from "./pipeline.ts";

interface StandingEvent extends KubeObject {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly series?: { readonly count: number };
  readonly regarding: { readonly name: string; readonly kind: string; readonly uid: string };
}

const host = "a.example.com";
const namespace = (name: string): KubeObject => ({ metadata: { name }, status: { phase: "Active" } });

const eventsIn = (pipeline: Pipeline, cluster = "east"): StandingEvent[] =>
  pipeline.store(cluster).values("events") as StandingEvent[];

/** `Warning Conflict web-1 ×2`, sorted; the cluster's Events as they stand. */
const told = (pipeline: Pipeline, cluster = "east"): string[] =>
  eventsIn(pipeline, cluster)
    .map(({ type, reason, regarding, series }) =>
      [type, reason, regarding.name, ...(series === undefined ? [] : [`×${series.count}`])].join(" "),
    )
    .toSorted();

const posts = (pipeline: Pipeline, cluster = "east"): number =>
  pipeline
    .cluster(cluster)
    .server.traffic.requests.filter(({ resource, verb }) => resource === "events" && verb !== "list").length;

const tells = (pipeline: Pipeline, wanted: readonly string[], cluster = "east"): Promise<void> =>
  pipeline
    .until(`the Events ${wanted.join(", ")}`, () => told(pipeline, cluster).join() === wanted.join())
    .catch((error: unknown) => {
      throw new Error(`told is ${JSON.stringify(eventsIn(pipeline, cluster))}`, { cause: error });
    });

async function start(
  before: (pipeline: Pipeline) => void,
  settings: object = {},
  clusters: readonly string[] = ["east"],
): Promise<Pipeline> {
  return Pipeline.start(clusters, {
    ...{ memoryShards: true, settings },
    before: (pipeline) => {
      for (const { store } of pipeline.fleet.clusters) store.create("namespaces", namespace("shop"));
      before(pipeline);
    },
  });
}

it("a problem is one Event on its object in its own cluster, its end another; both count on, also after a restart", async () => {
  const pipeline = await start(
    (starting) => {
      starting.store("west").create("pods", web("first", host, { created: born(0) }));
      starting.store("east").create("pods", web("second", host, { created: born(1) }));
    },
    {},
    ["east", "west"],
  );
  await tells(pipeline, ["Warning Conflict second"]);
  const [event] = eventsIn(pipeline);
  expect(event).toMatchObject({
    metadata: { namespace: "shop", name: expect.stringMatching(/^[0-9a-f]{40}$/) as string },
    ...{ reportingController: "apisix-translator.io/translator", action: "Translate" },
    eventTime: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/) as string,
    regarding: {
      ...{ apiVersion: "v1", kind: "Pod", namespace: "shop", name: "second" },
      uid: pipeline.store("east").get("pods", "shop/second")?.metadata.uid,
    },
    note: `route web: ${host}/* is held by west/shop/pod/first, route web`,
  });
  expect(told(pipeline, "west")).toEqual([]);

  await pipeline.restart();
  await tells(pipeline, ["Warning Conflict second ×2"]);
  expect(eventsIn(pipeline)[0]?.metadata.uid).toBe(event?.metadata.uid);

  const store = pipeline.store("east");
  store.patch("pods", "shop/second", (object) => withRoutes(object, [entry("b.example.com")]));
  await tells(pipeline, ["Normal Routed second", "Warning Conflict second ×2"]);
  store.patch("pods", "shop/second", (object) => withRoutes(object, [entry(host)]));
  await tells(pipeline, ["Normal Routed second", "Warning Conflict second ×3"]);
  store.patch("pods", "shop/second", (object) => withRoutes(object, [entry("b.example.com")]));
  await tells(pipeline, ["Normal Routed second ×2", "Warning Conflict second ×3"]);
});

it("every state that is a problem is told with its field and value, an annotation that cannot be read on the object; a noise write tells nothing", async () => {
  const sane = entry("sane.example.com");
  const pods = {
    invalid: [entry("i.example.com", { retries: 99 })],
    forbidden: [entry("f.example.com", { plugins: { cors: {} } })],
    unreadable: "[{",
    rejected: [entry("r.example.com", { plugins: { redirect: {} } })],
    sane: [sane],
  };
  const pipeline = await start(
    (starting) => {
      for (const [name, routes] of Object.entries(pods))
        starting.store("east").create("pods", pod({ namespace: "shop", name, routes }));
      const routes = [{ name: "web", port: "nothing", host: "v.example.com" }];
      starting.store("east").create("services", service({ namespace: "shop", name: "svc", routes }));
      for (const [index, uri] of ["/one", "/two"].entries())
        starting.store("east").create(
          "pods",
          web(`set-${index}`, "", {
            owner: "set",
            created: born(index),
            routes: [entry("s.example.com", { uri })],
          }),
        );
    },
    { policy: { plugins: ["redirect"] } },
  );
  await tells(pipeline, [
    "Warning Forbidden forbidden",
    "Warning Invalid invalid",
    "Warning Invalid svc",
    "Warning Invalid unreadable",
    "Warning Rejected rejected",
    "Warning SpecMismatch set-1",
  ]);
  const notes = new Map(eventsIn(pipeline).map(({ regarding, note }) => [regarding.name, note]));
  expect(eventsIn(pipeline).find(({ regarding }) => regarding.name === "svc")).toMatchObject({
    regarding: { kind: "Service", uid: pipeline.store("east").get("services", "shop/svc")?.metadata.uid },
  });
  expect(notes.get("svc")).toMatch(/^route web: port is "nothing": /);
  expect(notes.get("invalid")).toMatch(/^route web: retries is 99: /);
  expect(notes.get("forbidden")).toContain("cors");
  expect(notes.get("unreadable")).toMatch(/JSON/);
  expect(notes.get("unreadable")).not.toMatch(/shop\/pod/);
  expect(notes.get("rejected")).toMatch(/^route web: APISIX refused the route with 400/);

  const store = pipeline.store("east");
  for (const name of Object.keys(pods)) store.bumpNoise("pods", `shop/${name}`);
  const about = (kind: string): number =>
    told(pipeline).filter((line) => line === `${kind} unreadable`).length;
  store.patch("pods", "shop/unreadable", (object) =>
    withRoutes(object, [entry("u.example.com", { retries: 99 })]),
  );
  await pipeline.until("another problem in its place", () => about("Warning Invalid") === 2);
  expect(about("Normal Routed")).toBe(0);
  store.patch("pods", "shop/unreadable", (object) => withRoutes(object, [entry("u.example.com")]));
  await pipeline.until("the end of both", () => about("Normal Routed") === 2);
  store.patch("pods", "shop/invalid", (object) => withRoutes(object, []));
  store.remove("pods", "shop/forbidden");
  await pipeline.caughtUp();
  store.create("pods", pod({ namespace: "shop", name: "later", routes: "]" }));
  await pipeline.until("a later one", () => told(pipeline).includes("Warning Invalid later"));
  expect(told(pipeline).filter((line) => line.startsWith("Normal"))).toEqual([
    "Normal Routed unreadable",
    "Normal Routed unreadable",
  ]);
  expect(eventsIn(pipeline).filter(({ series }) => series !== undefined)).toEqual([]);
});

it("a 403 is said once, routing goes on, and Events begin when they are allowed", async () => {
  const pipeline = await start((starting) => {
    starting.cluster("east").server.access.forbidden.add("events");
    for (const name of ["a", "b", "c"])
      starting.store("east").create("pods", web(name, "", { routes: [entry(`${name}_`)] }));
    starting.store("east").create("pods", web("good", host));
  });
  await pipeline.reconciled(1);
  await pipeline.until("three tries", () => posts(pipeline) === 3);
  pipeline.store("east").create("pods", web("d", "", { routes: [entry("d_")] }));
  await pipeline.until("one more try", () => posts(pipeline) === 4);
  await pipeline.caughtUp();
  const said = pipeline.log.filter(({ message }) => message === "Events are forbidden");
  expect(said).toHaveLength(1);
  expect(said[0]).toMatchObject({ level: "warn", fields: { cluster: "east", namespace: "shop" } });
  expect(String(said[0]?.fields["reason"])).toContain("events");
  pipeline.cluster("east").server.access.forbidden.clear();
  pipeline.store("east").create("pods", web("e", "", { routes: [entry("e_")] }));
  await pipeline.until("the first Event", () => told(pipeline).includes("Warning Invalid e"));
});

it("an API server that answers nothing about Events keeps nothing waiting; what is newest is told when it does again", async () => {
  const pipeline = await start((starting) => {
    starting.cluster("east").server.faults.onRequest({ resource: "events" }, { type: "hang" });
    starting.store("east").create("pods", web("bad", "", { routes: [entry("b_")] }));
  });
  await pipeline.until("a try that hangs", () => posts(pipeline) === 1);
  pipeline.store("east").create("pods", web("good", host));
  await pipeline.until("a route", () => pipeline.nodesOf(host)?.length === 1);
  pipeline.store("east").patch("pods", "shop/bad", (object) => withRoutes(object, [entry("c_")]));
  await pipeline.caughtUp();
  await pipeline.stopController();
  pipeline.cluster("east").server.faults.clear();
  pipeline.cluster("east").server.faults.onRequest({ resource: "events" }, statusFault(503), { times: 2 });
  await pipeline.restart();
  await tells(pipeline, ["Warning Invalid bad"]);
  expect(eventsIn(pipeline)[0]?.note).toContain("c_");
  expect(pipeline.log.filter(({ message }) => message === "Events cannot be written now")).toHaveLength(1);
  await pipeline.until("said that it goes again", () =>
    pipeline.log.some(({ message }) => message === "Events can be written again"),
  );
});

it("a namespace that ends gets none, nor does anybody where events.enabled is false", async () => {
  const pipeline = await start((starting) => {
    const { server, store } = starting.cluster("east");
    store.patch("namespaces", "shop", (object) => withDeletion(object, Date.now()));
    store.create("namespaces", namespace("other"));
    store.create("pods", web("bad", "", { routes: [entry("b_")] }));
    store.create("pods", pod({ namespace: "other", name: "bad", routes: [entry("b_")] }));
    server.traffic.requests.length = 0;
  });
  await pipeline.until("both tries", () => posts(pipeline) === 2);
  await tells(pipeline, ["Warning Invalid bad"]);
  expect(pipeline.log.filter(({ message }) => message.startsWith("Events"))).toEqual([]);

  await pipeline.restart({ events: { enabled: false } });
  await pipeline.reconciled();
  await pipeline.caughtUp();
  expect(posts(pipeline)).toBe(2);
  expect(pipeline.log.some(({ message }) => message === "a declaration is not routed as it says")).toBe(true);
});

it("of a group with a thousand members in trouble a few get an Event; a quarantined object gets one", async () => {
  const pipeline = await start((starting) => {
    for (let index = 0; index < 50; index++)
      starting
        .store("east")
        .create("pods", web(`p-${index}`, "", { owner: "set", routes: [entry("x", { retries: 99 })] }));
  });
  await pipeline.until("20 Events", () => eventsIn(pipeline).length === 20);
  await pipeline.caughtUp();
  expect(told(pipeline).every((line) => line.startsWith("Warning Invalid p-"))).toBe(true);
  const poison = { cluster: "east", kind: "pods", namespace: "shop", name: "p-7", since: 0 } as const;
  pipeline.controller.problems.quarantined(poison);
  await pipeline.until("its Event", () => told(pipeline).includes("Warning Frozen p-7"));
});

it("of a group across clusters each member is told in its own cluster, and policy judges each for itself", async () => {
  const shared = (name: string, order: number, fields: object = {}) =>
    web(name, "", { created: born(order), routes: [entry(host, { share: "fleet", ...fields })] });
  const pipeline = await start(
    ({ fleet }) => {
      fleet.cluster("east").store.create("pods", shared("oldest", 0));
      fleet.cluster("west").store.create("pods", shared("other", 1, { retries: 5 }));
      fleet.cluster("lab").store.create("pods", shared("barred", 2));
    },
    { policy: { hosts: [{ clusters: ["east", "west"], hosts: [host] }] } },
    ["east", "west", "lab"],
  );
  await tells(pipeline, ["Warning SpecMismatch other"], "west");
  await tells(pipeline, ["Warning Forbidden barred"], "lab");
  await pipeline.until("two nodes", () => pipeline.nodesOf(host)?.length === 2);
  expect(told(pipeline)).toEqual([]);
});
