import { expect, it } from "vitest";
import { withEndpoints } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { host, ips, patient, shop, sizesSince, slice, webWith } from "./services.ts";

it("E1 250 endpoints in 3 slices, one flips: one write, 249 nodes", async () => {
  const groups = [ips("10.0.1", 100), ips("10.0.2", 100), ips("10.0.3", 50)];
  const pipeline = await webWith(groups.map((each, index) => slice(`web-${index}`, each)));
  expect(pipeline.nodesOf(host)).toHaveLength(250);
  const from = pipeline.mark;
  pipeline.store("east").patch("endpointslices", "shop/web-1", (object) =>
    withEndpoints(
      object,
      groups[1]!.map((ip, index) => ({ ip, ready: index !== 7 })),
    ),
  );
  await pipeline.until("249 nodes", () => pipeline.nodesOf(host)?.length === 249);
  await pipeline.caughtUp();
  expect(pipeline.namedSince(from)).toEqual(["PUT upstreams east/shop/web/web"]);
});

it.each([
  ["gone first", ["web-0", "web-1"]],
  ["twice first", ["web-1", "web-0"]],
] as const)("E2 a Pod moves between slices, %s: never missing, never twice", async (_what, order) => {
  const slices = [slice("web-0", ["10.0.0.1", "10.0.0.2"]), slice("web-1", ["10.0.0.3"])];
  const pipeline = await webWith(slices, patient);
  const from = pipeline.mark;
  const after = { "web-0": ["10.0.0.1"], "web-1": ["10.0.0.2", "10.0.0.3"] };
  for (const name of order) {
    pipeline.store("east").patch("endpointslices", `shop/${name}`, (object) =>
      withEndpoints(
        object,
        after[name].map((ip) => ({ ip })),
      ),
    );
    await pipeline.caughtUp();
  }
  expect(pipeline.writesSince(from)).toEqual([]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.3:8080"]);
});

it("an endpoint that vanished for good goes after a moment; one that is there and not ready goes at once", async () => {
  const pipeline = await webWith([slice("web-0", ["10.0.0.1", "10.0.0.2", "10.0.0.3"])]);
  const from = pipeline.mark;
  pipeline
    .store("east")
    .patch("endpointslices", "shop/web-0", (object) =>
      withEndpoints(object, [{ ip: "10.0.0.1" }, { ip: "10.0.0.2", ready: false }]),
    );
  await pipeline.until("one node", () => pipeline.nodesOf(host)?.length === 1);
  await pipeline.caughtUp();
  expect(sizesSince(pipeline, from)).toEqual([2, 1]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080"]);
});

it("trap 8: a slice deleted before its replacement arrives empties nothing in between", async () => {
  const pipeline = await webWith([slice("web-0", ["10.0.0.1", "10.0.0.2"])], patient);
  const from = pipeline.mark;
  const nodes = async (): Promise<(number | null)[]> =>
    (await pipeline.explain(host)).map((each) => each.nodes);
  pipeline.store("east").remove("endpointslices", "shop/web-0");
  pipeline.store("east").create("endpointslices", slice("web-1", ["10.0.0.2", "10.0.0.4"]));
  await pipeline.until("both slices", async () => (await nodes())[0] === 3);
  expect(sizesSince(pipeline, from).filter((size) => size < 2)).toEqual([]);
});

it("E3 one IP on two ports in two slices: two nodes", async () => {
  const pipeline = await webWith([
    slice("web-0", ["10.0.0.1"]),
    slice("web-1", ["10.0.0.1"], { ports: [{ name: "http", port: 9090 }] }),
  ]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080", "10.0.0.1:9090"]);
});

it.each([
  ["first", 0],
  ["last", 1],
])("E4 an IP that is reused while its old Pod terminates, the ready one %s: present", async (_what, at) => {
  const old = { ip: "10.0.0.1", ready: false, serving: true, terminating: true };
  const young = { ip: "10.0.0.1", ready: true };
  const [a, b] = at === 0 ? [young, old] : [old, young];
  const pipeline = await webWith([slice("web-0", [a!, "10.0.0.2"]), slice("web-1", [b!])]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080", "10.0.0.2:8080"]);
});

it("E5 none ready but some serving and terminating: they stand in; one ready: only the ready", async () => {
  const leaving = { ready: false, serving: true, terminating: true };
  const dead = { ip: "10.0.0.3", ready: false, serving: false, terminating: true };
  const waiting = { ip: "10.0.0.4", ready: false };
  const going = [{ ip: "10.0.0.1", ...leaving }, { ip: "10.0.0.2", ...leaving }, dead];
  const pipeline = await webWith([slice("web-0", [...going, waiting])]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080", "10.0.0.2:8080"]);
  pipeline
    .store("east")
    .patch("endpointslices", "shop/web-0", (object) =>
      withEndpoints(object, [...going, { ip: "10.0.0.4", ready: true }]),
    );
  await pipeline.until("the ready one", () => pipeline.nodesOf(host)?.join() === "10.0.0.4:8080");
});

it("E6 publishNotReadyAddresses shows as ready: included; publishNotReady keeps what is not", async () => {
  const published = { ip: "10.0.0.1", ready: true, serving: false };
  const notReady = { ip: "10.0.0.2", ready: false, serving: false };
  const pipeline = await webWith([slice("web-0", [published, notReady])]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080"]);
  pipeline.store("east").patch("services", "shop/web", () => shop("web", {}, { publishNotReady: true }));
  await pipeline.until("both", () => pipeline.nodesOf(host)?.length === 2);
});

it("E7 a named target port that differs between slices: each node has its own", async () => {
  const pipeline = await webWith([
    slice("web-0", ["10.0.0.1"]),
    slice("web-1", ["10.0.0.2"], {
      ports: [
        { name: "admin", port: 1 },
        { name: "http", port: 9090 },
      ],
    }),
  ]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080", "10.0.0.2:9090"]);
});

it("E8 a nil or unnamed port in one slice: that slice is skipped for the port, the siblings stay", async () => {
  const pipeline = await webWith([
    slice("web-0", ["10.0.0.1"]),
    slice("web-1", ["10.0.0.2"], { ports: [{ name: "http" }] }),
    slice("web-2", ["10.0.0.3"], { ports: [{ port: 8080 }] }),
  ]);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080"]);
});

it("E9 dual stack: only the configured family, IPv6 in brackets; FQDN slices are ignored", async () => {
  const slices = [
    slice("web-0", ["10.0.0.1"]),
    slice("web-1", ["fd00:0::1"], { addressType: "IPv6" }),
    slice("web-2", ["shop.example.com"], { addressType: "FQDN" }),
  ];
  const pipeline = await webWith(slices);
  expect(pipeline.nodesOf(host)).toEqual(["10.0.0.1:8080"]);
  pipeline.configure({ clusters: { east: { addressFamily: "IPv6" } } });
  await pipeline.until("IPv6", () => pipeline.nodesOf(host)?.join() === "[fd00::1]:8080");
  pipeline.configure({ clusters: { east: { addressFamily: "dual" } } });
  await pipeline.until("both", () => pipeline.nodesOf(host)?.length === 2);
});

it("E10 a Service scaled to zero: the route stays, with no nodes", async () => {
  const pipeline = await webWith([slice("web-0", ["10.0.0.1"])]);
  const from = pipeline.mark;
  pipeline.store("east").patch("endpointslices", "shop/web-0", (object) => withEndpoints(object, []));
  await pipeline.until("no nodes", () => pipeline.nodesOf(host)?.length === 0);
  await pipeline.caughtUp();
  expect(pipeline.writesSince(from)).toEqual(["PUT upstreams"]);
  expect(await pipeline.statesOf("east/shop/service/web")).toEqual(["NoNodes"]);
});
