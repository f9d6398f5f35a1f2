import type { MemberCluster, Resource } from "../apisix/types.ts";
import type { RouteShape } from "../claims/claim.ts";
import type { Cancel, Clock, Log, Random } from "../runtime.ts";
import type { Failure } from "./admin.ts";
import type { Breaker } from "./breaker.ts";
import type { GroupRecord } from "./group-record.ts";
import type { Standings } from "./standings.ts";
import { unionOf } from "./union-of.ts";

const firstBackoff = 200;
const longestBackoff = 30_000;
/** A body that APISIX refuses is refused again, until somebody changes APISIX (a plugin is turned on, say). */
const firstRejection = 60_000;
const longestRejection = 30 * 60_000;
/** Of an upstream that somebody else uses, and that nobody declares any more: nothing waits for its end. */
const longestUse = 5 * 60_000;
/** After the next success of an uncertain id, answers must have been normal this long before it is read back for good. */
const normalFor = 10_000;
/** Between two attempts to read it back. */
const lookPause = 1000;

export interface RetryParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly breaker: Breaker;
  readonly standings: Standings;
  /** Its wait has begun: what may be written has changed. */
  readonly gate: (record: GroupRecord) => void;
  /** Its wait is over: takes up again what failed. */
  readonly again: (record: GroupRecord) => void;
  /** Looks at an uncertain id, which stays uncertain; false when it cannot be read now. */
  readonly look: (record: GroupRecord) => Promise<boolean>;
  /** Reads an uncertain id back; false when it cannot be read now. */
  readonly readBack: (record: GroupRecord) => Promise<boolean>;
}

/** What a request was to make stand; of a read nothing. */
export interface Attempt {
  /** What a route may now stand on besides; null for its delete. */
  readonly shape?: RouteShape | null | undefined;
  /** It was to take something away, not to make stand what is declared. */
  readonly isCut?: boolean | undefined;
  /** What stands was to be emptied or relabelled: no declaration has anything to do with it. */
  readonly isOwn?: boolean | undefined;
  /** Clusters that a fleet group's upstream names. */
  readonly members?: readonly MemberCluster[];
}

/** What becomes of a request that did not end well; decided by the type of its result. */
export class Retries {
  readonly #parts: RetryParts;
  readonly #timers = new Map<string, Cancel>();
  readonly #refused = new Set<GroupRecord>();
  readonly #used = new Set<GroupRecord>();
  readonly #uncertain = new Map<string, { record: GroupRecord; timer: Cancel | undefined }>();

  constructor(parts: RetryParts) {
    this.#parts = parts;
  }

  get uncertain(): number {
    return this.#uncertain.size;
  }

  /** What APISIX has refused, and waits for another try. */
  get refused(): Iterable<GroupRecord> {
    return this.#refused;
  }

  /** Whose upstream somebody else keeps from being deleted: `usedBy`. */
  get used(): Iterable<GroupRecord> {
    return this.#used;
  }

  succeeded(record: GroupRecord, resource: Resource): void {
    this.#parts.breaker.succeeded();
    record.failures = 0;
    if (record.rejected?.resource === resource) this.#accept(record);
    if (record.uncertain === undefined) return;
    record.uncertain.okAt = this.#parts.clock.now();
    this.#planReadBack(record);
  }

  failed(record: GroupRecord, resource: Resource, result: Failure, attempt: Attempt): void {
    if (result.type === "refused") return this.#reject(record, resource, result, attempt);
    if (result.type === "unknown") {
      const { route = false, members = [] } = record.uncertain ?? {};
      record.uncertain = {
        okAt: undefined,
        route: route || resource === "route",
        members: unionOf(members, attempt.members ?? []),
      };
      this.#parts.standings.unknown(record, resource, attempt.shape);
      this.#planReadBack(record);
    }
    const { retryAfter = 0 } = result;
    if (result.scope === "gateway") this.#parts.breaker.failed(result.reason, retryAfter);
    else this.#parts.breaker.answered(result.type === "unknown");
    const isUsed = result.type === "retry" && this.#noteUse(record, result.usedBy);
    record.failures++;
    const longest = isUsed && record.ending ? longestUse : longestBackoff;
    const backoff = Math.min(firstBackoff * 2 ** (record.failures - 1), longest);
    const wait = Math.max(retryAfter, backoff * (0.5 + this.#parts.random() / 2));
    this.#parts.log.debug(
      { id: record.id, resource, reason: result.reason, wait },
      "a request is tried again",
    );
    this.#wait(record, wait);
  }

  /** Forgets what was waited for: the content is new, or the group is gone. */
  clear(record: GroupRecord): void {
    this.#timers.get(record.id)?.();
    this.#timers.delete(record.id);
    record.retryAt = 0;
    record.usedBy = undefined;
    this.#used.delete(record);
    this.#accept(record);
  }

  stop(): void {
    for (const stop of this.#timers.values()) stop();
    for (const { timer } of this.#uncertain.values()) timer?.();
    this.#timers.clear();
  }

  #accept(record: GroupRecord): void {
    record.rejected = undefined;
    this.#refused.delete(record);
  }

  /** Whether it is another's that uses the upstream. APISIX still counts our own route for a moment after its end. */
  #noteUse(record: GroupRecord, usedBy: string | undefined): boolean {
    if (usedBy === undefined || usedBy.includes(record.id)) return false;
    const isNews = record.usedBy !== usedBy;
    record.usedBy = usedBy;
    this.#used.add(record);
    const { cluster, namespace, name, route } = record.identity;
    const advice =
      "have it use another upstream, or delete it; until then ours stays, and nobody follows its nodes";
    const fields = { id: record.id, usedBy, cluster, namespace, name, route, advice };
    if (isNews)
      this.#parts.log.warn(fields, "an upstream of ours that is to go is used by an object that is not ours");
    return true;
  }

  #reject(
    record: GroupRecord,
    resource: Resource,
    result: { status: number; message: string },
    { isCut = false, isOwn = isCut }: Attempt,
  ): void {
    this.#parts.breaker.succeeded();
    // It was answered: what had no answer before, through an outage say, is no reason to wait longer.
    record.failures = 0;
    const times = (record.rejected?.times ?? 0) + 1;
    const wait = Math.min(firstRejection * 2 ** (times - 1), longestRejection);
    const { status, message } = result;
    const isNews = record.rejected?.message !== message;
    record.rejected = { resource, isCut, status, message, times, until: this.#parts.clock.now() + wait };
    this.#refused.add(record);
    const { cluster, namespace, name, route } = record.identity;
    const advice = isOwn
      ? "mend in APISIX what it names; no declaration asks for this, and it is tried again by itself"
      : "correct the declaration; what APISIX accepted last stands meanwhile";
    const fields = { id: record.id, resource, cluster, namespace, name, route, status, message, advice };
    if (isNews)
      this.#parts.log.warn(
        fields,
        isOwn ? "APISIX refused to change what stands" : "APISIX refused what is declared",
      );
    this.#wait(record, wait);
  }

  #wait(record: GroupRecord, ms: number): void {
    const { clock, gate, again } = this.#parts;
    this.#timers.get(record.id)?.();
    record.retryAt = clock.now() + ms;
    gate(record);
    const timer = clock.after(ms, () => {
      this.#timers.delete(record.id);
      record.retryAt = 0;
      again(record);
    });
    this.#timers.set(record.id, timer);
  }

  /** `least`: milliseconds that pass in any case, so that what cannot be read is not asked for in a circle. */
  #planReadBack(record: GroupRecord, least = 0): void {
    const plan = this.#uncertain.get(record.id) ?? { record, timer: undefined };
    this.#uncertain.set(record.id, plan);
    plan.timer?.();
    const { clock, breaker } = this.#parts;
    const due = Math.max(record.uncertain?.okAt ?? clock.now(), breaker.lastTrouble) + normalFor;
    plan.timer = clock.after(Math.max(least, due - clock.now()), () => void this.#readBack(record));
  }

  /** An id for which nothing more can be sent has its success from a first look. */
  async #readBack(record: GroupRecord): Promise<void> {
    const { clock, breaker, look, readBack } = this.#parts;
    const { uncertain } = record;
    if (uncertain !== undefined && clock.now() - breaker.lastTrouble >= normalFor) {
      if (uncertain.okAt !== undefined) await readBack(record);
      else if (await look(record)) uncertain.okAt ??= clock.now();
    }
    if (record.uncertain === undefined) this.#uncertain.delete(record.id);
    else this.#planReadBack(record, lookPause);
  }
}
