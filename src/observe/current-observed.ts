import type { Explanation } from "./explanation.ts";
import type { AuditReport, Decision, Observed, Readiness, Role } from "./observed.ts";
import type { Status } from "./status.ts";
import type { Target } from "./target.ts";

/** Whoever speaks for this instance now: a standby, then the controller. What is `stopping` stays so. */
export class CurrentObserved implements Observed {
  #speaker: Observed;
  readonly #address: () => string;
  #isStopping = false;

  /** `address`: of this instance, as a standby of it would name it. */
  constructor(speaker: Observed, address: () => string) {
    this.#speaker = speaker;
    this.#address = address;
  }

  become(speaker: Observed): void {
    this.#speaker = speaker;
  }

  stopping(): void {
    this.#isStopping = true;
  }

  role(): Role {
    return this.#isStopping ? "stopping" : this.#speaker.role();
  }

  leader(): string | undefined {
    return this.#speaker.leader() ?? (this.role() === "leader" ? this.#address() : undefined);
  }

  ready(): Readiness {
    const readiness = this.#speaker.ready();
    return this.#isStopping ? { ...readiness, ready: false, role: "stopping" } : readiness;
  }

  async status(): Promise<Status> {
    return { ...(await this.#speaker.status()), role: this.role(), leader: this.leader() ?? null };
  }

  explain(target: Target): Promise<Explanation> {
    return this.#speaker.explain(target);
  }

  metrics(): Promise<string> {
    return this.#speaker.metrics();
  }

  approve(batch: string): number | undefined {
    return this.#speaker.approve(batch);
  }

  pause(): Promise<void> {
    return this.#speaker.pause();
  }

  resume(): void {
    this.#speaker.resume();
  }

  audit(): Promise<AuditReport> {
    return this.#speaker.audit();
  }

  accept(cluster: string): Promise<Decision> {
    return this.#speaker.accept(cluster);
  }

  purge(cluster: string): Promise<Decision> {
    return this.#speaker.purge(cluster);
  }
}
