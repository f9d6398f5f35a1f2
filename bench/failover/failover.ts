import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import { openScene, type Scene } from "../first/scene.ts";
import { Child } from "../processes/child.ts";
import type { FleetCommands } from "../processes/fleet-process.ts";
import { sharedNow } from "../processes/protocol.ts";
import { buildDist, idleProcess, Instance } from "./instance.ts";
import { usageOf, type ProcessUsage } from "./proc.ts";

const full = { podsPerCluster: 1000, rounds: 3, restSeconds: 15, watchSeconds: 60 };
const small = { podsPerCluster: 100, rounds: 1, restSeconds: 5, watchSeconds: 0 };
const clusters = 10;
/** The defaults. */
const leaseSeconds = 15;
const mostWait = 120_000;

interface Round {
  readonly standby: ProcessUsage & { readonly cpuPercent: number };
  /** Seconds from the SIGKILL to what follows, each from there on. */
  readonly toLeading: number;
  readonly toFirstRead: number;
  readonly toFirstWrite: number;
  readonly toReconciled: number;
  readonly writes: number;
  /** Seconds of CPU from the kill to the end of the first reconcile: of the new leader, the clusters, the Admin API. */
  readonly cpu: readonly number[];
}

/** From SIGKILL of the leader to the standby's first correct write, and what a standby costs (issue 4). */
export const failover: Bench = {
  name: "failover",
  title: "the leader is killed, the standby takes over",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const size = quick ? small : full;
    buildDist();
    await using scene = await openScene({
      clusters,
      podsPerCluster: size.podsPerCluster,
      relayPodsPerCluster: 0,
    });
    using cast = await Cast.start(scene);
    const idle = await idleUsage(size.restSeconds);
    const rounds: Round[] = [];
    for (let round = 0; round < size.rounds; round++) {
      rounds.push(await failOver(scene, cast, size.restSeconds));
      say(`fail-over ${round + 1}: ${told(rounds.at(-1))}`);
    }
    // The second snapshot of a new leader falls into this time.
    await sleep(size.watchSeconds * 1000);
    const { writes: late } = await scene.admin.ask("written");
    await cast.end();
    return judged(rounds, idle, late, size.podsPerCluster * clusters, cast.complaints);
  },
};

interface Home {
  readonly home: Child<FleetCommands>;
  readonly kubeconfig: string;
}

/** Who leads and who stands by, and the cluster that holds their Lease. */
class Cast {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "apisix-translator-failover-"));
  readonly #args: readonly string[];
  readonly #key: string;
  readonly complaints: string[] = [];
  leader: Instance;

  readonly #home: Child<FleetCommands>;

  static async start(scene: Scene): Promise<Cast> {
    const { url, key } = await scene.admin.ask("fresh");
    // The Lease waits behind nobody's lists.
    const home = new Child<FleetCommands>(new URL("../processes/fleet-process.ts", import.meta.url));
    const [holder] = await home.ask("start", { clusters: 1, podsPerCluster: 0, relayPodsPerCluster: 0 });
    const cast = new Cast(scene, { home, kubeconfig: holder?.kubeconfig ?? "" }, url, key);
    await cast.leader.said("first reconcile done");
    return cast;
  }

  constructor({ clusters: all }: Scene, { home, kubeconfig: lease }: Home, url: string, key: string) {
    this.#home = home;
    const config = path.join(this.#folder, "config.json");
    const listening = { listen: "127.0.0.1:0", admin: "127.0.0.1:0" };
    const settings = {
      clusters: [
        { name: "home", kubeconfig: lease },
        ...all.map(({ name, kubeconfig }) => ({ name, kubeconfig })),
      ],
      ...{ gateway: { adminUrls: [url] }, leader: { cluster: "home" }, observe: listening },
    };
    writeFileSync(config, JSON.stringify(settings));
    this.#args = ["--config", config];
    this.#key = key;
    this.leader = this.another();
  }

  another(): Instance {
    return new Instance(this.#args, this.#key);
  }

  async end(): Promise<void> {
    this.complaints.push(...this.leader.complaints);
    await this.leader.end("SIGTERM");
    await this.#home.ask("close");
    await this.#home.stop();
  }

  [Symbol.dispose](): void {
    void this.leader.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function idleUsage(seconds: number): Promise<ProcessUsage> {
  const idle = idleProcess();
  await sleep(seconds * 1000);
  const usage = usageOf(idle.pid);
  idle.end();
  return usage;
}

async function failOver(scene: Scene, cast: Cast, restSeconds: number): Promise<Round> {
  const next = cast.another();
  const leads = next.said("this instance leads");
  const reconciled = next.said("first reconcile done");
  await next.said("translator started");
  await sleep(restSeconds * 1000);
  const before = usageOf(next.pid);
  await sleep(restSeconds * 1000);
  const standby = usageOf(next.pid);
  const processes = [next.pid, scene.fleet.pid, scene.admin.pid];
  const used = processes.map((pid) => usageOf(pid).cpu);
  await Promise.all([scene.admin.ask("written"), scene.admin.ask("arrivals"), scene.admin.ask("firstRead")]);

  const killedAt = sharedNow();
  await cast.leader.end("SIGKILL");
  cast.leader = next;
  // One Pod changes while nobody leads: its upstream is the one right write.
  await scene.fleet.ask("flipOnce", "translator");
  const seconds = (at: number): number => (at - killedAt) / 1000;
  const toLeading = seconds(await leads);
  const firstWrite = await firstArrival(scene, next);
  const toReconciled = seconds(await reconciled);
  const { writes } = await scene.admin.ask("written");
  const firstRead = await scene.admin.ask("firstRead");
  const cpu = processes.map((pid, at) => (usageOf(pid).cpu - (used[at] ?? NaN)) / 1000);
  return {
    ...{
      cpu,
      toLeading,
      toFirstRead: seconds(firstRead),
      toFirstWrite: seconds(firstWrite),
      toReconciled,
      writes,
    },
    standby: { ...standby, cpuPercent: (standby.cpu - before.cpu) / (restSeconds * 10) },
  };
}

async function firstArrival(scene: Scene, leader: Instance): Promise<number> {
  const deadline = sharedNow() + mostWait;
  while (sharedNow() < deadline) {
    const [first] = await scene.admin.ask("arrivals");
    if (first !== undefined) return first[1];
    await sleep(20);
  }
  throw new Error(`nothing was written: ${[await leader.status(), ...leader.complaints].join("\n")}`);
}

function told(round: Round | undefined): string {
  if (round === undefined) return "";
  const { toLeading, toFirstWrite, toReconciled, writes } = round;
  return `leads after ${toLeading.toFixed(2)} s, first write ${toFirstWrite.toFixed(2)} s, reconciled ${toReconciled.toFixed(2)} s, ${writes} write`;
}

function judged(
  rounds: readonly Round[],
  idle: ProcessUsage,
  late: number,
  routes: number,
  complaints: readonly string[],
): Outcome {
  const row = (name: string, unit: string, of: (round: Round) => number): Row => ({
    ...{ name, unit, values: rounds.map(of) },
  });
  const worst = (of: (round: Round) => number): number => Math.max(...rounds.map(of));
  const aboveIdle = ({ standby }: Round): number => (standby.rss - idle.rss) / 1e6;
  const needless = rounds.reduce((sum, { writes }) => sum + writes - 1, late);
  return {
    ratios: {
      secondsBeyondLease: worst(({ toFirstWrite }) => toFirstWrite - leaseSeconds),
      needlessWrites: needless,
      standbyMbAboveIdle: worst(aboveIdle),
      standbyCpuPercent: worst(({ standby }) => standby.cpuPercent),
    },
    tables: [
      {
        title: `From SIGKILL of the leader, ${routes} routes, Lease of ${leaseSeconds} s`,
        rows: [
          row("the standby leads", "s", ({ toLeading }) => toLeading),
          row(
            "first read of APISIX, after that",
            "s",
            ({ toLeading, toFirstRead }) => toFirstRead - toLeading,
          ),
          row("first write, after that", "s", ({ toFirstRead, toFirstWrite }) => toFirstWrite - toFirstRead),
          row("first write, in all", "s", ({ toFirstWrite }) => toFirstWrite),
          row("first reconcile done, in all", "s", ({ toReconciled }) => toReconciled),
          row("CPU of the new leader until then, all threads", "s", ({ cpu }) => cpu[0] ?? NaN),
          row("CPU of the process that plays all clusters", "s", ({ cpu }) => cpu[1] ?? NaN),
          row("CPU of the process that plays the Admin API", "s", ({ cpu }) => cpu[2] ?? NaN),
          row("writes (one Pod changed meanwhile)", "", ({ writes }) => writes),
        ],
      },
      {
        title: "What a standby costs",
        rows: [
          row("RSS", "MB", ({ standby }) => standby.rss / 1e6),
          {
            name: "RSS of a process that has loaded dist/ and does nothing",
            unit: "MB",
            values: [idle.rss / 1e6],
          },
          row("RSS above that", "MB", aboveIdle),
          row("CPU, of one core", "%", ({ standby }) => standby.cpuPercent),
        ],
      },
    ],
    notes: [
      "The clusters, the one with the Lease and the Admin API run in processes of their own; the instances are `node dist/src/main.js run` with the default times of the Lease and nothing beside them: memory and CPU are read from /proc.",
      "A standby may lead once the Lease has stood unchanged for its duration; the leader renews it every 2 s, so its death is noticed 13 to 15 s later.",
      `Writes that changed nothing: all but one in each round${late === 0 ? "" : `, and the ${late} after the last`}; the second snapshot of the new leader is among what was watched (not in a quick run).`,
      `The last leader logged ${complaints.length} warnings or errors${complaints[0] === undefined ? "" : `, the first: \`${complaints[0].slice(0, 200)}\``}.`,
    ],
  };
}
