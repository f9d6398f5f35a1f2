import type { Config } from "./config.ts";
import { Controller } from "./controller.ts";
import { systemClock } from "./runtime.ts";
import { openOutside, type Outside, type OutsideOptions } from "./outside.ts";

/** The time in which an instance leads: a controller and the outside world that it holds, both new. */
export class Term {
  readonly controller: Controller;
  readonly #outside: Outside;
  readonly #options: OutsideOptions;

  constructor(config: Config, options: OutsideOptions) {
    this.#options = options;
    this.#outside = openOutside(config, options);
    this.controller = new Controller(config, this.#outside);
  }

  start(): void {
    const { log, fault } = this.#options;
    this.controller.start().catch(fault);
    const startedAt = systemClock.now();
    void this.controller.firstReconcile.done.then(() => {
      const { routes } = this.controller.audit;
      const { degraded } = this.controller.observation.ready();
      const fields = { seconds: Math.round(systemClock.now() - startedAt) / 1000, routes };
      log.info(degraded.length === 0 ? fields : { ...fields, degraded }, "first reconcile done");
    });
  }

  /** `clusters` and `policy` are others now. */
  configure(config: Config): void {
    this.controller.configure(config);
  }

  /** What is in flight ends; nothing more is sent. */
  async stop(): Promise<void> {
    await this.controller.stop();
    await this.#outside.close();
  }

  /** Nothing more is sent, and what is in flight is cut off. */
  async abandon(): Promise<void> {
    const stopped = this.controller.stop();
    await this.#outside.close();
    await stopped;
  }
}
