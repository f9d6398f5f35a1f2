import type { Config } from "./config.ts";
import { Controller } from "./controller.ts";
import { fencedTransport } from "./lead/fenced-transport.ts";
import { Leadership, type LeadTerm } from "./leadership.ts";
import { openElection } from "./open-election.ts";
import { openOutside, type Outside, type OutsideOptions } from "./outside.ts";
import { systemClock } from "./runtime.ts";

/** Milliseconds beyond two request timeouts that an orderly end may take. */
const drainSlack = 5000;

/** What a term does that is there for one thing alone. It watches no cluster, only which there are: nothing else is written. */
class ErrandTerm implements LeadTerm {
  readonly #controller: Controller;
  readonly #outside: Outside;
  readonly #run: (controller: Controller) => void;

  constructor(config: Config, options: OutsideOptions, run: (controller: Controller) => void) {
    this.#outside = openOutside(config, options);
    this.#controller = new Controller(config, this.#outside);
    this.#run = run;
  }

  start(): void {
    this.#run(this.#controller);
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
    await this.#outside.close();
  }

  async abandon(): Promise<void> {
    const stopped = this.#controller.stop();
    await this.#outside.close();
    await stopped;
  }
}

export interface ErrandOptions extends Omit<OutsideOptions, "around"> {
  readonly signal: AbortSignal;
}

/**
 * Leads for as long as one thing takes: waits for the Lease, does it, and gives the Lease back.
 *
 * @throws Error why it could not be done, another instance that leads among them.
 */
export async function runErrand<T>(
  config: Config,
  options: ErrandOptions,
  act: (controller: Controller) => Promise<T>,
): Promise<T> {
  const { env, log, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const run = async (controller: Controller): Promise<T> => {
    await controller.start("once", { watch: false });
    // Which clusters there are is part of what is decided on.
    await controller.clusters.settled;
    return act(controller);
  };
  const leadership = new Leadership({
    clock: systemClock,
    drainLimit: 2 * config.gateway.timeout + drainSlack,
    election: (actions) =>
      openElection({ config: () => config, env, log, fault: reject, address: () => "", actions }),
    newTerm: (fence) =>
      new ErrandTerm(
        config,
        {
          ...{ ...options, fault: reject },
          ...(fence === undefined ? {} : { around: (admin) => fencedTransport(admin, fence) }),
        },
        (controller) => void run(controller).then(resolve, reject),
      ),
    leads: () => cancel(),
    lost: () => reject(new Error("the Lease was lost before it was done")),
  });
  const cancel = systemClock.after(patienceFor(config), () =>
    reject(new Error(whyNotLed(leadership.election))),
  );
  signal.addEventListener("abort", () => reject(new Error("called off")), { once: true });
  leadership.start();
  try {
    return await promise;
  } finally {
    cancel();
    await leadership.stop();
  }
}

/** A Lease whose holder is gone is free after its duration. */
function patienceFor({ leader: { duration, retryPeriod } }: Config): number {
  return duration + 3 * retryPeriod;
}

function whyNotLed(election: Leadership<LeadTerm>["election"]): string {
  if (election?.problem !== undefined) return `the Lease cannot be reached: ${election.problem}`;
  const { leader = "" } = election ?? {};
  return `another instance leads${leader === "" ? "" : `, at ${leader}`}: ask it, on its observe.admin`;
}
