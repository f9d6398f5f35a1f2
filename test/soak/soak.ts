import { setTimeout as sleep } from "node:timers/promises";
import { Child } from "../../bench/processes/child.ts";
import type { AdminCommands } from "./admin-process.ts";
import type { FleetCommands } from "./fleet-process.ts";
import { growthOf, type Growth, type Holding } from "./holding.ts";
import { Soaked } from "./soaked.ts";

export interface SoakOptions {
  readonly minutes: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

export interface SoakResult extends Growth {
  readonly minutes: number;
  readonly seed: number;
  readonly margin: number;
  readonly changes: number;
  readonly writes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** By the minute at which it was read. */
  readonly holdings: readonly (Holding & { readonly minute: number })[];
}

const clusters = ["one", "two", "three", "four"];
const size = { pods: 40, services: 20, endpoints: 5 };
/** Minutes from one reading to the next; the first is that which the last is held against. */
const readEvery = 5;
const faultEvery = 4;
const restWithin = 150_000;
/** What a soak of 30 minutes is held to; a short one compares warm code with code that is still being compiled. */
const longMargin = 0.05;
const shortMargin = 0.1;
const longFrom = 15;

interface Scene {
  readonly fleet: Child<FleetCommands>;
  readonly admin: Child<AdminCommands>;
  readonly translator: Soaked;
  readonly options: SoakOptions;
}

/** @throws Error when the translator ends, or does not come to what is declared when it is let alone. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const fleet = new Child<FleetCommands>(new URL("./fleet-process.ts", import.meta.url));
  const admin = new Child<AdminCommands>(new URL("./admin-process.ts", import.meta.url));
  let translator: Soaked | undefined;
  try {
    const started = await fleet.ask("start", clusters, size, options.seed);
    const gateway = await admin.ask("start", options.seed);
    translator = await Soaked.start({ clusters: started, gateway });
    return await Promise.race([soakThem({ fleet, admin, translator, options }), translator.ended]);
  } catch (error) {
    throw new Error(`${String(error)}\n${(translator?.complaints ?? []).join("\n")}`, { cause: error });
  } finally {
    await translator?.close();
    await fleet.ask("close");
    await Promise.all([fleet.stop(), admin.stop()]);
  }
}

async function soakThem(scene: Scene): Promise<SoakResult> {
  const { minutes, seed, say } = scene.options;
  const every = Math.min(readEvery, minutes / 3);
  const begun = performance.now();
  const minute = (): number => (performance.now() - begun) / 60_000;
  const holdings: (Holding & { readonly minute: number })[] = [];
  // The last part may be shorter: a rest takes its time.
  for (let next = every; next < minutes + every / 2; next += every) {
    await churn(scene, Math.max(10, (next - minute()) * 60));
    await rest(scene);
    const holding = { ...(await scene.translator.holding()), minute: Number(minute().toFixed(1)) };
    holdings.push(holding);
    say(`minute ${holding.minute}: ${JSON.stringify(holding)}`);
  }
  const margin = minutes >= longFrom ? longMargin : shortMargin;
  const [first, last] = [holdings[0]!, holdings.at(-1)!];
  const { changes, faults } = await scene.fleet.ask("counts");
  const gateway = await scene.admin.ask("counts");
  return {
    ...{ minutes, seed, margin, changes, writes: gateway.writes, faults: { ...faults, ...gateway.faults } },
    ...{ holdings, ...growthOf(first, last, margin) },
  };
}

/** Everything at once: clusters that change and fail, an Admin API that fails, people, configuration, scrapes, pauses. */
async function churn(scene: Scene, seconds: number): Promise<void> {
  const { fleet, admin, options } = scene;
  await Promise.all([
    fleet.ask("churn", { seconds, perSecond: options.perSecond, faultEvery }),
    admin.ask("fail", seconds, faultEvery),
    operate(scene, performance.now() + seconds * 1000),
  ]);
}

async function operate({ translator, fleet }: Scene, until: number): Promise<void> {
  for (let round = 1; performance.now() < until; round++) {
    await translator.read("/status");
    await translator.read("/metrics");
    await translator.read(`/explain?target=one/shop/pod/pod-${round % size.pods}`);
    if (round % 7 === 0) await translator.audit();
    if (round % 10 === 0) {
      const name = clusters[round % clusters.length]!;
      translator.replaceKubeconfig(name, await fleet.ask("admit", name, `token-${round}`));
    }
    if (round % 12 === 0) translator.configure(clusters.filter((_, index) => index !== 3));
    if (round % 12 === 6) translator.configure(clusters);
    if (round % 25 === 0) await translator.freezeFor(1500);
    await sleep(1000);
  }
  translator.configure(clusters);
}

/** Resolves once what stands is what is declared, nothing is on its way, and every cluster is heard. */
async function rest({ fleet, admin, translator }: Scene): Promise<void> {
  const declared = (await fleet.ask("declared")).join("\n");
  const deadline = performance.now() + restWithin;
  for (;;) {
    await translator.audit();
    await sleep(1000);
    const { queues, clusters: heard, gateway } = await translator.status();
    const isQuiet = queues.drip + queues.burst === 0 && gateway.state === "up";
    const isHeard = heard.every(({ kinds }) => Object.values(kinds).every(({ state }) => state === "synced"));
    const stands = (await admin.ask("stands")).join("\n");
    if (isQuiet && isHeard && heard.length === clusters.length && stands === declared) return;
    if (performance.now() > deadline) throw new Error(unrest(declared, stands, heard));
  }
}

function unrest(declared: string, stands: string, heard: object): string {
  const [wanted, found] = [declared, stands].map((text) => new Set(text.split("\n")));
  const lacking = [...wanted!].filter((line) => !found!.has(line)).slice(0, 10);
  const surplus = [...found!].filter((line) => !wanted!.has(line)).slice(0, 10);
  return `it does not come to rest: ${JSON.stringify({ lacking, surplus, heard })}`;
}
