import type { Clock, Log } from "../runtime.ts";
import { problemAdvice } from "./problem-advice.ts";
import { problemText } from "./problems.ts";
import type { Problem } from "./problems.ts";

/** Lines in a row, and how long until as many may follow: a thousand bad annotations at a start are one story. */
const linesAtOnce = 25;
const pause = 10_000;

export interface ProblemLogParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** Logs a problem when it is news, and when it has ended; never more lines than a person reads. */
export class ProblemLog {
  readonly #parts: ProblemLogParts;
  #lines = 0;
  #unsaid = 0;
  #linesFrom = 0;

  constructor(parts: ProblemLogParts) {
    this.#parts = parts;
  }

  take({ id, identity, told, isNews }: Problem): void {
    if (!isNews || !this.#mayLog()) return;
    const { log } = this.#parts;
    const { cluster, kind, namespace, name, route } = identity;
    const fields = {
      ...(cluster === "" ? {} : { cluster }),
      ...{ kind, namespace },
      ...(name === "" ? {} : { name }),
      ...(route === "" ? {} : { route, id }),
    };
    if (told.length === 0) return log.info(fields, "a problem with a declaration has ended");
    const problem = problemText(told);
    const advice = problemAdvice(told.map(({ state }) => state));
    if (advice === "") log.info({ ...fields, problem }, "a declaration differs from its group's");
    else log.warn({ ...fields, problem, advice }, "a declaration is not routed as it says");
  }

  #mayLog(): boolean {
    const { clock, log } = this.#parts;
    if (clock.now() - this.#linesFrom > pause) {
      if (this.#unsaid > 0)
        log.warn(
          { problems: this.#unsaid, advice: "see the counts in /status, and ask explain about each" },
          "more problems with declarations",
        );
      this.#linesFrom = clock.now();
      this.#lines = 0;
      this.#unsaid = 0;
    }
    if (this.#lines < linesAtOnce) {
      this.#lines++;
      return true;
    }
    this.#unsaid++;
    return false;
  }
}
