import type { Clusters } from "./clusters.ts";
import type { Intake } from "./intake.ts";
import type { Cancel, Clock } from "./runtime.ts";
import type { Writer } from "./write/writer.ts";

/** How often the end of the first reconcile is looked for: nothing else hangs on it but readiness. */
const lookEvery = 20;

export interface FirstReconcileParts {
  readonly clock: Clock;
  readonly writer: Writer;
  readonly intake: Intake;
  readonly clusters: Pick<Clusters, "watched" | "waitsFor">;
}

/**
 * The first reconcile of a term. Pairs that nothing in APISIX holds are granted only when every cluster is judged, has
 * failed its first attempt, or has sent nothing for 10 s: so the same one wins after every restart.
 */
export class FirstReconcile {
  readonly done: Promise<void>;
  readonly #parts: FirstReconcileParts;
  readonly #finish: () => void;
  #isDone = false;
  #begun = false;
  #timer: Cancel | undefined;

  constructor(parts: FirstReconcileParts) {
    this.#parts = parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.done = promise;
    this.#finish = resolve;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** What stands in APISIX is known. */
  begin(): void {
    this.#begun = true;
    this.review();
  }

  stop(): void {
    this.#timer?.();
  }

  /** Something has come into sight, or is known not to. */
  review(): void {
    const { writer } = this.#parts;
    if (!this.#begun || writer.areBurstsOpen || this.waitsFor().length > 0) return;
    writer.openBursts();
    this.#look();
  }

  /** Clusters that have not been heard, and not given up, yet. */
  waitsFor(): string[] {
    const { clusters, intake } = this.#parts;
    const settling = clusters.watched.flatMap(({ name }) => (intake.isSettling(name) ? [name] : []));
    return [...new Set([...clusters.waitsFor(), ...settling])];
  }

  #look(): void {
    const { clock, writer } = this.#parts;
    this.#timer = clock.after(lookEvery, () => {
      if (!writer.isQuiet || writer.claims.pending) return this.#look();
      this.#isDone = true;
      this.#finish();
    });
  }
}
