import type { ActionRow } from "./actions/action.ts";
import { actionTables, concerns } from "./actions/actions.ts";
import type { ActionTable, Concern } from "./actions/actions.ts";
import { drawFrom } from "./actions/draw-from.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { Setup } from "./setup.ts";
import { drawSetup } from "./setup.ts";

/** One thing that is to happen; independent of all others, so that a schedule can be made shorter by leaving some out. */
export interface PlannedAction {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly name: string;
  readonly seed: number;
}

/** A schedule, whole: everything that happens in it follows from this. */
export interface Plan {
  readonly seed: number;
  readonly setup: Setup;
  /** Nothing goes wrong before the first reconcile is over: then the oldest wins everywhere. */
  readonly calmStart: number;
  readonly actions: readonly PlannedAction[];
}

type Mood = Readonly<Record<ActionTable, { readonly weight: number }>>;

export function planOf(seed: number): Plan {
  const random = new SeededRandom(seed).fork("plan");
  const setup = drawSetup(random.fork("setup"));
  const mood = drawMood(random, setup);
  const calmStart = random.chance(0.4) ? 15_000 : 0;
  const length = random.pick([20_000, 60_000, 120_000]);
  const count = 15 + random.int(40);
  const actions = calmStart > 0 ? [] : drawOpening(random);
  for (let index = 0; index < count; index++) {
    const [table] = drawFrom(mood, random);
    const rows: Readonly<Record<string, ActionRow>> = actionTables[table as ActionTable];
    const [name] = drawFrom(rows, random);
    const at = Math.floor(calmStart + random.next() * length);
    actions.push({ at, name, seed: random.int(2 ** 31) });
  }
  const when = { calmStart, length };
  if (setup.services !== undefined) actions.push(...drawConcern("services", 5, 25, when, random));
  if (setup.nodes !== undefined) actions.push(...drawConcern("nodes", 3, 15, when, random));
  if (random.fork("has credentials").chance(0.3))
    actions.push(...drawConcern("credentials", 1, 5, when, random));
  if (random.fork("has decisions").chance(0.25))
    actions.push(...drawConcern("decisions", 1, 3, when, random));
  if (random.fork("has marks").chance(0.25)) actions.push(...drawConcern("marks", 1, 3, when, random));
  if (random.fork("has crowds").chance(0.25)) actions.push(...drawConcern("crowds", 1, 3, when, random));
  if (random.fork("has returns").chance(0.2)) actions.push(...drawConcern("returns", 1, 2, when, random));
  if (setup.services !== undefined && random.fork("has slices").chance(0.3))
    actions.push(...drawConcern("slices", 1, 4, when, random));
  return { seed, setup, calmStart, actions: actions.toSorted((a, b) => a.at - b.at) };
}

/** At least `least` actions, and less than `more` beside them. */
function drawConcern(
  concern: Concern,
  least: number,
  more: number,
  { calmStart, length }: { readonly calmStart: number; readonly length: number },
  plan: SeededRandom,
): PlannedAction[] {
  const random = plan.fork(concern);
  return Array.from({ length: least + random.int(more) }, () => {
    const [name] = drawFrom<ActionRow>(concerns[concern], random);
    const at = Math.floor(calmStart + random.next() * length);
    return { at, name, seed: random.int(2 ** 31) };
  });
}

/** Trouble that is there from the start: the first burst, where most is written, meets it. */
function drawOpening(random: SeededRandom): PlannedAction[] {
  const count = random.pick([0, 1, 3]);
  return Array.from({ length: count }, () => {
    const rows: Readonly<Record<string, ActionRow>> =
      actionTables[random.pick(["gateway", "clusters"] as const)];
    const [name] = drawFrom(rows, random);
    return { at: 0, name, seed: random.int(2 ** 31) };
  });
}

/** Most schedules are of one sort of trouble more than of others. */
function drawMood(random: SeededRandom, { elects }: Setup): Mood {
  const weight = (usual: number): { weight: number } => ({
    weight: usual * random.pick([0.1, 1, 1, 3]),
  });
  return {
    objects: { weight: 10 },
    clusters: weight(3),
    gateway: weight(3),
    people: weight(2),
    config: weight(0.7),
    process: weight(elects ? 2 : 1),
    lease: weight(elects ? 1 : 0),
  };
}
