import type { Claims } from "../claims/claims.ts";
import type { Clock } from "../runtime.ts";
import type { GroupRecord } from "./group-record.ts";
import type { GroupRequests } from "./group-requests.ts";
import type { Guard } from "./guard.ts";
import type { Removals } from "./removals.ts";
import type { Retries } from "./retries.ts";

export interface GroupRemovalParts {
  readonly clock: Clock;
  /** `throttle.deleteGrace`, milliseconds. */
  readonly deleteGrace: number;
  /** The writer's other parts, looked up when they are used. */
  readonly writer: {
    readonly claims: Claims;
    readonly requests: GroupRequests;
    readonly guard: Guard;
    readonly removals: Pick<Removals, "isAsked">;
    readonly retries: Pick<Retries, "clear">;
    readonly bursts: { wake(): void };
  };
  readonly mayWrite: (record: GroupRecord) => boolean;
  /** What may be written of it may have changed. */
  readonly gate: (record: GroupRecord) => void;
  /** It may be that nothing of it stands any more. */
  readonly finalize: (record: GroupRecord) => void;
  readonly fault: (error: unknown) => void;
}

/** How a group goes that the guard let go: emptied, and deleted after the grace. */
export class GroupRemoval {
  readonly #parts: GroupRemovalParts;

  constructor(parts: GroupRemovalParts) {
    this.#parts = parts;
  }

  /** Empties it now, and deletes it after the grace. */
  leave(record: GroupRecord): void {
    const { clock, deleteGrace, writer, fault } = this.#parts;
    if (deleteGrace === 0) return this.end(record);
    const leaving = { due: clock.now() + deleteGrace, emptied: false, tookNodes: false };
    record.leaving = leaving;
    writer.claims.leave(record.id, record.identity, { grace: true });
    void this.#empty(record).catch(fault);
    clock.after(deleteGrace, () => {
      if (record.leaving === leaving) this.end(record);
    });
  }

  /** Deletes it. */
  end(record: GroupRecord): void {
    const { claims, retries, bursts } = this.#parts.writer;
    // That APISIX refused to have it emptied is no reason to wait with its end.
    if (!record.ending && record.rejected !== undefined) retries.clear(record);
    record.leaving = undefined;
    record.ending = true;
    claims.leave(record.id, record.identity, { grace: false });
    this.#parts.gate(record);
    // Without a route there is nothing for the claims to cut.
    const isRouteless = record.route === undefined && record.uncertain?.route !== true;
    if (isRouteless && this.#parts.mayWrite(record)) void this.remove(record).catch(this.#parts.fault);
    bursts.wake();
  }

  /**
   * Deletes its route and its upstream, unless it is declared again before they are sent. An upstream that has to stay, for
   * somebody has taken over the route, is emptied: nobody follows its nodes any more.
   */
  async remove(record: GroupRecord): Promise<void> {
    const { requests } = this.#parts.writer;
    const isStill = (): boolean => record.ending;
    const end = await requests.remove(record, "both", isStill);
    if (end === "done") this.#parts.finalize(record);
    const { occupied, upstream } = record;
    if (end !== "held" || occupied.route === undefined || !this.#parts.mayWrite(record)) return;
    if (upstream !== undefined && upstream.nodes !== 0) await requests.emptyUpstream(record, isStill);
  }

  /** Takes up again what was begun, for it may be written again. */
  again(record: GroupRecord): void {
    if (record.leaving?.emptied === false) void this.#empty(record).catch(this.#parts.fault);
    if (record.ending) this.end(record);
  }

  /**
   * What the guard let go may have gone: what ends has lost its route, anything else its nodes. What leaves and had none to
   * take away ends first.
   */
  noteGone(record: GroupRecord): void {
    const { clock, writer } = this.#parts;
    const { upstream, route, uncertain, ending, leaving } = record;
    // A request that had no answer may give it back what it lost.
    if (uncertain !== undefined || writer.removals.isAsked(record)) return;
    const isEmptied = leaving?.tookNodes ?? (upstream === undefined || upstream.nodes === 0);
    if (ending ? route === undefined : isEmptied) writer.guard.went(clock.now(), record.id);
  }

  /** It is declared again, or is gone: nothing goes on of what was begun. */
  stay(record: GroupRecord): void {
    record.leaving = undefined;
    record.ending = false;
  }

  async #empty(record: GroupRecord): Promise<void> {
    const { leaving } = record;
    if (leaving === undefined || leaving.emptied || !this.#parts.mayWrite(record)) return;
    const end = await this.#parts.writer.requests.emptyUpstream(record, () => record.leaving === leaving);
    if (end !== "done" && end !== "bare") return;
    leaving.emptied = true;
    leaving.tookNodes = end === "done";
    if (record.leaving === leaving) this.noteGone(record);
  }
}
