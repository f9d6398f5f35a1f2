import { actions } from "./actions/actions.ts";
import { populateNodes } from "./actions/node-actions.ts";
import { objectActions } from "./actions/object-actions.ts";
import { serviceActions } from "./actions/service-actions.ts";
import type { Violation } from "./checks/check.ts";
import { coldDifferencesOf } from "./checks/cold-check.ts";
import { growthOf } from "./checks/growth-check.ts";
import { differencesOf } from "./checks/quiet-check.ts";
import { RestartWrites } from "./checks/restart-writes.ts";
import type { Plan, PlannedAction } from "./plan.ts";
import type { Plant } from "./plant.ts";
import { SeededRandom } from "./seeded-random.ts";
import { World } from "./world.ts";

export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | undefined;
  /** Hash of everything that happened. */
  readonly digest: string;
  readonly tail: readonly string[];
  readonly steps: number;
  readonly requests: number;
  /** Milliseconds of virtual time. */
  readonly lasted: number;
}

export interface RunOptions {
  readonly plant?: Plant;
  readonly echo?: (line: string) => void;
}

/** Looks for rest, each a minute: retries, audits and read-backs are over by then. */
const looks = 12;
const minute = 60_000;
const leastRest = 3;
/** An audit, and what APISIX goes on refusing; watches, probes and bookmarks of four clusters. */
const restfulRequests = 60;
const restfulSteps = 4000;

/** Runs one schedule to its end, or to its first violation. */
export async function runSchedule(plan: Plan, { plant, echo }: RunOptions = {}): Promise<Outcome> {
  const world = new World({ seed: plan.seed, setup: plan.setup, plant, echo });
  try {
    await new Schedule(world, plan).run();
  } catch (error) {
    world.violate("crash", error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  world.processes.end();
  const { violation, trace, time, requests } = world;
  return {
    ...{ seed: plan.seed, violation, digest: trace.digest(), tail: trace.tail },
    ...{ steps: time.steps, requests, lasted: time.now() },
  };
}

class Schedule {
  readonly #world: World;
  readonly #plan: Plan;

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
  }

  async run(): Promise<void> {
    const { calmStart, actions: planned } = this.#plan;
    this.#populate();
    this.#start();
    if (calmStart > 0) {
      await this.#pass(calmStart);
      this.#expectNone(coldDifferencesOf(this.#world));
    }
    for (const action of planned)
      this.#world.time.after(action.at - this.#world.time.now(), () => this.#act(action));
    await this.#pass((planned.at(-1)?.at ?? 0) - this.#world.time.now() + 10_000);
    this.#heal();
    await this.#rest();
    await this.#restart();
  }

  get #isOver(): boolean {
    return this.#world.violation !== undefined;
  }

  #populate(): void {
    const random = new SeededRandom(this.#plan.seed).fork("population");
    const count = this.#plan.setup.objects * this.#world.clusters.size;
    for (let index = 0; index < count; index++) {
      const { addSingle, addDeployment, addFleet } = objectActions;
      const add = random.pick([addSingle, addSingle, addSingle, addDeployment, addFleet]);
      add.run(this.#world, random);
    }
    const more = new SeededRandom(this.#plan.seed).fork("services");
    const { services } = this.#plan.setup;
    for (const cluster of this.#world.clusters.values()) cluster.hasServices = services !== undefined;
    populateNodes(this.#world);
    for (let left = services ?? 0; left > 0; left--) {
      const { addOne, addFleetOne } = serviceActions;
      more.pick([addOne, addOne, addFleetOne]).run(this.#world, more);
    }
  }

  #start(): void {
    const { processes, setup, time, random } = this.#world;
    processes.start();
    // The second one stands by.
    if (setup.elects) time.after(random.fork("second").between(0, 5000), () => processes.start());
  }

  #act({ name, seed }: PlannedAction): void {
    if (this.#isOver) return;
    const did = actions[name]?.run(this.#world, new SeededRandom(seed));
    if (did !== undefined) this.#world.trace.say("ACTION", did);
  }

  async #pass(ms: number): Promise<void> {
    if (!this.#isOver) await this.#world.time.pass(ms, () => this.#isOver);
  }

  /** From now on nothing goes wrong any more. */
  #heal(): void {
    const { admin, clusters, trace, processes } = this.#world;
    processes.thawAll();
    for (const process of processes.living) process.resume();
    trace.say("sim", "all is well from now on");
    admin.faults.clear();
    for (const cluster of clusters.values()) {
      cluster.heal();
      if (cluster.isGarbled) cluster.forceRelist();
    }
  }

  /** Waits until nothing is written any more, and compares. */
  async #rest(): Promise<void> {
    const isQuiet = (): boolean => this.#world.time.now() - this.#world.lastWriteAt > minute;
    for (let look = 0; look < looks && !this.#isOver; look++) {
      this.#world.operator.audit();
      this.#world.operator.insist();
      const { requests } = this.#world;
      const { steps } = this.#world.time;
      await this.#pass(minute);
      const released = this.#world.operator.approve();
      if (look >= leastRest && released === 0 && isQuiet()) {
        this.#expectRest(this.#world.requests - requests, this.#world.time.steps - steps);
        this.#expectNone([...this.#world.operator.unfinished(), ...differencesOf(this.#world)]);
        this.#expectNoGrowth();
        return;
      }
    }
    if (!this.#isOver) this.#world.violate(5, "it does not come to rest: something is written all the time");
  }

  /** A minute in which nothing happened. */
  #expectRest(requests: number, steps: number): void {
    if (this.#isOver || (requests <= restfulRequests && steps <= restfulSteps)) return;
    this.#world.violate(5, `it turns in a circle: ${requests} requests and ${steps} steps in a quiet minute`);
  }

  /** A translator that remembers nothing finds nothing to do. */
  async #restart(): Promise<void> {
    if (this.#isOver) return;
    const writes = new RestartWrites(this.#world);
    const { process, processes } = this.#world;
    if (process === undefined) return this.#world.violate(5, "nobody leads, though all is well");
    processes.replace(process, true, 0);
    await this.#pass(2 * minute);
    if (this.#isOver) return;
    const strange = writes.strange();
    if (strange.length > 0)
      this.#world.violate(5, `a restart writes ${strange.join(", ")}, though nothing has changed`);
    this.#expectNone(differencesOf(this.#world));
  }

  #expectNoGrowth(): void {
    const growth = growthOf(this.#world);
    if (growth !== undefined && !this.#isOver) this.#world.violate(10, growth);
  }

  #expectNone(differences: readonly string[]): void {
    const [first] = differences;
    if (first === undefined || this.#isOver) return;
    for (const difference of differences) this.#world.trace.say("differs", difference);
    this.#world.violate(5, first);
  }
}
