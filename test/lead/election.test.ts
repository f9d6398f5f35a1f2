import { beforeEach, describe, expect, it } from "vitest";
import { proxyFault, statusFault } from "../../src/sim/kubernetes/faults.ts";
import { Electors } from "./electors.ts";
import { times } from "./leases.ts";

let electors: Electors;
beforeEach(() => {
  electors = new Electors();
});

const second = 1000;

describe("an election", () => {
  it("makes the Lease, says in it where the leader is found, and renews it every retry period", async () => {
    const { a, b } = await electors.two();
    expect([a.told, a.election.leads, b.election.leads, b.election.standsBy]).toEqual([
      ["elected"],
      true,
      false,
      true,
    ]);
    expect([b.election.leader, a.election.leader]).toEqual(["a:8080", undefined]);
    expect(electors.lease).toMatchObject({
      metadata: { annotations: { "apisix-translator.io/address": "a:8080" } },
      spec: { holderIdentity: "a", leaseDurationSeconds: 15, leaseTransitions: 0 },
    });
    const { mark } = electors;
    await electors.clock.advance(60 * second);
    expect(electors.requests(mark)).toEqual(Array.from({ length: 30 }, () => "PUT"));
    expect([a.told, b.told, a.faults, b.faults]).toEqual([["elected"], [], [], []]);
  });

  it("G2: wall clocks that jump an hour decide nothing", async () => {
    const { a, b } = await electors.two();
    for (const offset of [3_600_000, -3_600_000, 0]) {
      a.wallOffset = offset;
      b.wallOffset = -offset;
      await electors.clock.advance(40 * second);
    }
    expect([a.election.leads, b.election.leads, a.told]).toEqual([true, false, ["elected"]]);
    a.network.stop();
    expect(await electors.untilLeads(b)).toBeLessThanOrEqual(times.duration + times.retryPeriod);
    expect(a.told.at(-1)).toBe("lost: the Lease was not renewed within 10000 ms");
  });

  it("L3: a release is seen at once", async () => {
    const { a, b } = await electors.two();
    const { mark } = electors;
    await electors.end(a);
    expect(await electors.untilLeads(b)).toBeLessThanOrEqual(50);
    expect(electors.requests(mark)).toEqual(["PUT", "PUT"]);
    expect(electors.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
    expect([a.told, b.told]).toEqual([["elected"], ["elected"]]);
  });

  it("L2: a leader that cannot reach the Lease stops writing in time, is lost before others may lead, and tries no more", async () => {
    const { a, b } = await electors.two();
    await electors.clock.advance(5 * second);
    a.network.stop();
    const cut = electors.clock.now();
    expect(a.election.mayWrite(5000)).toBe(true);
    await electors.clock.advance(5 * second);
    expect([a.election.mayWrite(5000), a.election.leads]).toEqual([false, true]);
    await electors.clock.advance(5 * second);
    expect(a.told.slice(1)).toEqual([
      "the Lease cannot be reached: the connection was reset",
      "lost: the Lease was not renewed within 10000 ms",
    ]);
    expect(b.election.leads).toBe(false);
    await electors.untilLeads(b);
    expect(electors.clock.now() - cut).toBeLessThanOrEqual(times.duration + times.retryPeriod);
    const { mark } = electors;
    a.network.start();
    await electors.clock.advance(1000);
    expect([electors.requests(mark).length, a.election.leads]).toEqual([0, false]);
  });

  it("a write that came too late loses it at once", async () => {
    const { a } = await electors.two();
    a.election.forfeit("too late");
    a.election.forfeit("too late");
    expect([a.told, a.election.leads, a.election.mayWrite(0)]).toEqual([
      ["elected", "lost: too late"],
      false,
      false,
    ]);
  });

  it("goes on where a renewal is applied and its answer lost: looks, and renews what is its own", async () => {
    const { a } = await electors.two();
    const lostAnswer = { type: "truncate", bytes: 0, clean: false } as const;
    electors.cluster.faults.onRequest({ resource: "leases", verb: "update" }, lostAnswer, { times: 1 });
    const { mark } = electors;
    await electors.clock.advance(5 * second);
    expect(electors.requests(mark)).toEqual(["PUT", "PUT", "get", "PUT"]);
    expect(a.election.leads).toBe(true);
  });

  it("is lost where another one holds the Lease", async () => {
    const { a } = await electors.two();
    electors.cluster.store.patch("leases", "apisix-translator/apisix-translator", (lease) => ({
      ...lease,
      spec: { ...lease.spec, holderIdentity: "thief" },
    }));
    await electors.clock.advance(3 * second);
    expect(a.told).toEqual(["elected", "lost: thief has taken the Lease"]);
  });

  it("makes a Lease that was deleted anew; who stands by leaves it the time for that", async () => {
    const { a, b } = await electors.two();
    electors.cluster.store.remove("leases", "apisix-translator/apisix-translator");
    await electors.clock.advance(30 * second);
    expect([a.election.leads, b.election.leads, electors.spec["holderIdentity"]]).toEqual([true, false, "a"]);
  });

  it("leads within the duration and a retry period of a leader's death", async () => {
    const { a, b } = await electors.two();
    await a.election.abandon();
    expect(await electors.untilLeads(b)).toBeLessThanOrEqual(times.duration + times.retryPeriod);
    expect([a.noted[0], b.noted.at(-1)]).toEqual([
      "this instance leads: nobody held the Lease",
      "this instance leads: a has not renewed the Lease",
    ]);
  });
});

describe("a standby", () => {
  it("says once of each other instance that it holds the Lease, and for whom it waits", async () => {
    const { a, b } = await electors.two();
    const c = electors.start("c");
    await electors.clock.advance(60 * second);
    const standing = (holder: string): string =>
      `stands by: another instance holds the Lease: ${holder}, ${holder}:8080`;
    expect([b.noted, c.noted]).toEqual([[standing("a")], [standing("a")]]);
    await electors.end(a);
    await electors.clock.advance(60 * second);
    const [next, last] = b.election.leads ? [b, c] : [c, b];
    expect(next.noted).toEqual([standing("a"), "this instance leads: a has released the Lease"]);
    expect(last.noted).toEqual([standing("a"), standing(next === b ? "b" : "c")]);
  });

  it("reads the Lease again where the server has forgotten the version it watched from, and warns of nothing", async () => {
    const { a, b } = await electors.two();
    const { mark } = electors;
    await electors.clock.advance(10 * second);
    const [watch] = electors.cluster.traffic.openWatches("leases");
    watch?.fail(410, "too old resource version");
    await electors.clock.advance(10 * second);
    expect(electors.requests(mark).filter((verb) => verb !== "PUT")).toEqual(["get", "watch"]);
    expect([b.told, b.election.problem, b.election.leader]).toEqual([[], undefined, "a:8080"]);
    await electors.end(a);
    expect(await electors.untilLeads(b)).toBeLessThanOrEqual(50);
  });

  it("reads the Lease once in one to 2.2 retry periods where it may not watch it", async () => {
    electors.cluster.faults.onRequest({ resource: "leases", verb: "watch" }, statusFault(403));
    const { a, b } = await electors.two();
    const { mark } = electors;
    await electors.clock.advance(32 * second);
    expect(electors.requests(mark).filter((verb) => verb === "get")).toHaveLength(10);
    expect(b.told).toHaveLength(1);
    await electors.end(a);
    expect(await electors.untilLeads(b)).toBeLessThanOrEqual(2.2 * times.retryPeriod);
  });

  it("does not believe a watch that has fallen silent: its attempt meets the renewals, and it waits on", async () => {
    const { a, b } = await electors.two();
    for (const watch of electors.cluster.traffic.openWatches("leases")) watch.silence();
    const { mark } = electors;
    await electors.clock.advance(20 * second);
    expect(electors.requests(mark)).toContain("watch");
    expect([a.election.leads, b.election.leads, a.told]).toEqual([true, false, ["elected"]]);
    await electors.end(a);
    expect(await electors.untilLeads(b)).toBeLessThanOrEqual(100);
  });

  it.each([
    ["a proxy's page", proxyFault(404)],
    [
      "a server without the API group",
      { ...proxyFault(404), contentType: "text/plain", body: "404 page not found\n" },
    ],
    ["another object's absence", statusFault(404)],
    ["no JSON", { ...proxyFault(200), contentType: "application/json", body: "{" }],
    ["something else", { ...proxyFault(200), contentType: "application/json", body: '{"kind":"Pod"}' }],
  ])("takes %s for no answer, never for a Lease that nobody holds", async (_what, fault) => {
    electors.cluster.faults.onRequest({ resource: "leases", verb: "get" }, fault);
    const a = electors.start("a");
    await electors.clock.advance(20 * second);
    expect(electors.requests()).not.toContain("POST");
    expect([a.election.leads, a.election.standsBy, a.told.length]).toEqual([false, false, 1]);
    expect(a.election.problem).toBe(a.told[0]?.replace("the Lease cannot be reached: ", ""));
    electors.cluster.faults.clear();
    await electors.clock.advance(5 * second);
    expect([a.election.leads, a.election.problem]).toEqual([true, undefined]);
  });

  it("says once that it may not make the Lease, and goes on trying", async () => {
    electors.cluster.faults.onRequest({ resource: "leases", verb: "create" }, statusFault(403));
    const a = electors.start("a");
    await electors.clock.advance(20 * second);
    expect(a.told).toEqual([expect.stringContaining("the Lease cannot be reached: the server answered 403")]);
    const tries = electors.requests().filter((verb) => verb === "POST").length;
    expect([tries >= 4, tries <= 8]).toEqual([true, true]);
  });

  it("connects anew with what its credential has become, once the server refuses it", async () => {
    electors.token = "old";
    const a = electors.start("a");
    await electors.clock.advance(5 * second);
    expect(a.told).toEqual([expect.stringContaining("401")]);
    electors.token = "sim-token";
    await electors.clock.advance(5 * second);
    expect(a.election.leads).toBe(true);
    expect(a.connections).toBeGreaterThan(1);
  });

  it("ends without a trace", async () => {
    const { a, b } = await electors.two();
    await electors.end(b);
    const before = electors.lease;
    await a.election.abandon();
    await electors.clock.advance(60 * second);
    expect([electors.lease, b.told, b.faults]).toEqual([before, [], []]);
  });

  it("that is asked to end while it takes the Lease releases it, and never leads", async () => {
    const slow = electors.cluster.faults.onRequest(
      { resource: "leases", verb: "create" },
      { type: "slow", ms: 1000 },
    );
    const a = electors.start("a");
    await electors.clock.advance(100);
    const ended = a.election.end();
    await electors.clock.advance(2000);
    await ended;
    slow();
    expect(electors.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(a.told).toEqual([]);
  });
});
