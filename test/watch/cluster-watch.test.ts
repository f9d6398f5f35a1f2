import { describe, expect, test } from "vitest";
import { TranslatorError } from "../../src/errors.ts";
import { silentLog, type Log, type LogFields } from "../../src/runtime.ts";
import { statusFault } from "../../src/sim/kubernetes/faults.ts";
import { EmbeddedCluster } from "../../src/sim/kubernetes/embedded-cluster.ts";
import { memoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import { startCluster, type ClusterWatchOptions } from "../../src/watch/cluster-watch.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import type { KubeTransport } from "../../src/watch/transport.ts";
import { readers } from "../protobuf/readers.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { WatchedCluster } from "./watched-cluster.ts";

const identityRead = { resource: "namespaces" } as const;

describe("identity", () => {
  test.each([
    ["403", statusFault(403)],
    ["500", statusFault(500)],
    ["an object that is not that namespace", wrongNamespace()],
    ["silence", { type: "hang" } as const],
  ])(
    "that answers %s degrades every kind with the reason, lists nothing, and is asked again",
    async (_what, fault) => {
      const watched = new WatchedCluster();
      const mend = watched.cluster.faults.onRequest(identityRead, fault);
      watched.addPods(1);
      await watched.clock.advance(15_000);
      expect(watched.said()).toEqual(["degraded"]);
      expect(watched.health).toMatchObject({
        state: "degraded",
        objects: 0,
        reason: expect.stringMatching(/./),
      });
      expect(watched.asked()).toEqual([]);
      mend();
      await watched.clock.advance(45_000);
      expect(watched.said()).toEqual(["degraded", "identity", "apply", "synced"]);
    },
  );

  test("is what the cluster claims", async () => {
    const watched = new WatchedCluster();
    watched.cluster.faults.identity = "claimed";
    await watched.clock.advance(100);
    expect(watched.events[0]).toMatchObject({ type: "identity", uid: "claimed", cluster: "east-1" });
  });

  function wrongNamespace() {
    const body = JSON.stringify({ kind: "Namespace", metadata: { name: "default", uid: "u" } });
    return { type: "answer", status: 200, contentType: "application/json", body } as const;
  }
});

describe("first attempt", () => {
  test("is over once the kind is synced, and said once", async () => {
    const watched = new WatchedCluster();
    expect(watched.watch.firstAttemptOver).toBe(false);
    await watched.clock.advance(100);
    expect(watched.watch.firstAttemptOver).toBe(true);
    await watched.clock.advance(60_000);
    expect(watched.firstAttemptsOver).toEqual([["pods"]]);
  });

  test("of a kind that is added before the others are listed is over by itself", async () => {
    const watched = new WatchedCluster();
    watched.cluster.faults.onRequest({ resource: "nodes" }, { type: "slow", ms: 5_000 });
    watched.watch.follow("nodes");
    await watched.clock.advance(100);
    expect(watched.firstAttemptsOver).toEqual([["pods"]]);
    expect(watched.watch.firstAttemptOver).toBe(false);
    await watched.clock.advance(5_000);
    expect(watched.firstAttemptsOver).toEqual([["pods"], ["nodes"]]);
    expect(watched.watch.firstAttemptOver).toBe(true);
  });

  test("is over once the list has failed", async () => {
    const watched = new WatchedCluster();
    watched.cluster.faults.onRequest({ resource: "pods" }, statusFault(500));
    await watched.clock.advance(100);
    expect(watched.watch.firstAttemptOver).toBe(true);
  });

  test("is over after 10 s without a word, and not before", async () => {
    const watched = new WatchedCluster();
    watched.cluster.faults.onRequest({ resource: "pods" }, { type: "hang" });
    await watched.clock.advance(9_900);
    expect(watched.watch.firstAttemptOver).toBe(false);
    await watched.clock.advance(200);
    expect(watched.watch.firstAttemptOver).toBe(true);
    expect(watched.health.state).toBe("listing");
  });

  test("goes on while a slow list still brings something", async () => {
    const watched = new WatchedCluster();
    watched.cluster.faults.watchList = false;
    watched.addPods(1_200);
    watched.cluster.faults.onRequest({ resource: "pods", verb: "list" }, { type: "slow", ms: 8_000 });
    await watched.clock.advance(20_000);
    expect(watched.watch.firstAttemptOver).toBe(false);
    await watched.clock.advance(5_000);
    expect(watched.health.state).toBe("synced");
    expect(watched.watch.firstAttemptOver).toBe(true);
  });
});

describe("stop", () => {
  test("ends requests and timers, and nothing is said any more", async () => {
    const watched = new WatchedCluster();
    await watched.clock.advance(100);
    await watched.watch.stop();
    const said = watched.events.length;
    watched.addPod("late");
    await watched.clock.advance(200_000);
    expect(watched.events).toHaveLength(said);
    expect(watched.cluster.traffic.openWatches()).toHaveLength(0);
    expect(watched.asked().filter((asked) => asked === "probe")).toEqual([]);
  });

  test("calls off an attempt to connect", async () => {
    const asked: AbortSignal[] = [];
    const watch = startCluster({
      ...{ cluster: { name: "east-1", namespaces: [] }, kinds: ["pods"], readers, log: silentLog },
      ...{ clock: new VirtualClock(), random: () => 0.5, emit: () => {}, onFault: () => {} },
      connect: (_cluster, signal) => {
        asked.push(signal);
        return new Promise<never>(() => {});
      },
    });
    expect(asked.map(({ aborted }) => aborted)).toEqual([false]);
    await watch.stop();
    expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("in the middle of what a list says ends it there", async () => {
    const watched: WatchedCluster = new WatchedCluster({
      emit: (event) => {
        if (event.type === "apply") void watched.watch.stop();
      },
    });
    watched.addPods(10);
    await watched.clock.advance(1_000);
    expect(watched.said()).toEqual(["identity", "apply"]);
  });
});

test("what a later stage throws is logged and handed on, and the watch goes on", async () => {
  const bug = new Error("bug");
  const watched = new WatchedCluster({
    emit: (event) => {
      if (event.type === "apply" && event.key.name === "web-1") throw bug;
    },
  });
  watched.addPods(3);
  await watched.clock.advance(100);
  expect(watched.faults).toEqual([bug]);
  expect(watched.health).toMatchObject({ state: "synced", objects: 3 });
});

describe("connecting", () => {
  const noFile = new TranslatorError("KUBE_CREDENTIALS", "kubeconfig /nowhere cannot be read: ENOENT");

  function started(connect: () => Promise<KubeConnection>, clock = new VirtualClock()) {
    const cluster = new EmbeddedCluster({ name: "east-1", clock, random: () => 0 });
    const warnings: LogFields[] = [];
    const notes: string[] = [];
    const log: Log = {
      ...silentLog,
      warn: (fields) => warnings.push(fields),
      info: (_fields, message) => notes.push(message),
      child: () => log,
    };
    const said: string[] = [];
    const options: ClusterWatchOptions<{ name: string }> = {
      cluster: { name: "east-1" },
      kinds: ["pods"],
      readers,
      connect,
      clock,
      random: () => 0.5,
      log,
      emit: (event) => said.push(event.type),
      onFault: (error) => said.push(String(error)),
    };
    return { clock, cluster, warnings, notes, said, watch: startCluster(options) };
  }

  test("that fails degrades with the reason, is warned of once, and succeeds when the file is there", async () => {
    let attempts = 0;
    const { clock, cluster, warnings, notes, said, watch } = started(async () => {
      attempts++;
      if (attempts < 4) throw noFile;
      return Object.assign(memoryKube(cluster).transport(), { close: () => Promise.resolve() });
    });
    await clock.advance(0);
    expect(watch.health()).toMatchObject({ pods: { state: "degraded", reason: noFile.message } });
    expect(watch.firstAttemptOver).toBe(true);
    await clock.advance(10_000);
    expect(attempts).toBe(4);
    expect(said).toEqual(["degraded", "identity", "synced"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ reason: noFile.message, advice: expect.any(String) });
    expect(notes).toEqual(["cluster can be watched now"]);
  });

  test("that is stopped closes what it opened", async () => {
    const clock = new VirtualClock();
    let closed = 0;
    const slow = async (): Promise<KubeConnection> => {
      await new Promise<void>((resolve) => clock.after(1_000, resolve));
      return Object.assign(refusing, { close: async () => void closed++ });
    };
    const { said, watch } = started(slow, clock);
    await clock.advance(500);
    await watch.stop();
    await clock.advance(5_000);
    expect(closed).toBe(1);
    expect(said).toEqual([]);
  });

  const refusing: KubeTransport = () => Promise.reject(new TranslatorError("ABORTED", "called off"));
});
