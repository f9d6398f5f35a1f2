import type { Snapshot, Strangers } from "../apisix/snapshot.ts";
import type { Intruder } from "../claims/claim.ts";
import { TranslatorError } from "../errors.ts";
import type { Cancel, Clock, Log } from "../runtime.ts";
import { adoptGroup } from "./adopt-group.ts";
import { ForeignLooks } from "./foreign-looks.ts";
import type { GroupRecord } from "./group-record.ts";
import { StrangerReports } from "./stranger-reports.ts";
import type { Writer } from "./writer.ts";

/** A dead leader's last request may still land within this time: a new leader looks once more after it. */
const secondLook = 45_000;
/** An audit takes at most a hundredth of the time. */
const durationShare = 100;
const firstBackoff = 1000;
const longestBackoff = 30_000;

export interface AuditParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly interval: number;
  readonly writer: Writer;
  /**
   * Reads everything; rejects when any part of it cannot be read: unknown is never empty. Tells of strangers' routes as
   * soon as they are known.
   */
  readonly take: (onStrangers: (found: Strangers) => void, only?: "routes") => Promise<Snapshot>;
  readonly fault: (error: unknown) => void;
}

/** What a look at all of APISIX found. */
export interface Look {
  readonly snapshot: Snapshot;
  /** Groups that stood otherwise than believed. */
  readonly drifted: number;
}

/** What is kept of a look: not each of our objects, which the records have. */
export type LastLook = Omit<Snapshot, "owned">;

/** Compares all of APISIX with what the writer believes, at the start of a term and then again and again. */
export class Audit {
  readonly #parts: AuditParts;
  #last: LastLook | undefined;
  #running: Promise<Look | undefined> | undefined;
  #timer: Cancel | undefined;
  /** What was found before `start`. */
  #early: Look | undefined;
  /** Before `start`, and while it waits to look again. */
  #heed: ((found: Look) => void) | undefined = (found) => (this.#early = found);
  #failures = 0;
  #error: TranslatorError | undefined;
  /** What was said of it last. */
  #said = "";
  readonly #foreign: ForeignLooks;
  readonly #reports: StrangerReports;
  #stopped = false;

  constructor(parts: AuditParts) {
    this.#parts = parts;
    this.#reports = new StrangerReports(parts.log);
    this.#foreign = new ForeignLooks(parts);
  }

  get last(): LastLook | undefined {
    return this.#last;
  }

  /** Why the last look failed; undefined: it did not, or there was none. */
  get trouble(): string | undefined {
    return this.#failures === 0 ? undefined : this.#error?.message;
  }

  /**
   * Resolves to what a first look has found, when one has succeeded, whoever asked for it, and be it before; after so many
   * that failed it rejects with why. Undefined: stopped before.
   */
  async start(mostLooks: number): Promise<Snapshot | undefined> {
    this.#heed = undefined;
    let found = this.#early ?? (await this.look());
    this.#early = undefined;
    for (let looks = 1; found === undefined && !this.#stopped; looks++) {
      if (looks >= mostLooks) throw this.#error;
      found = await this.#lookAfter(Math.min(firstBackoff * 2 ** (this.#failures - 1), longestBackoff));
    }
    this.#plan(secondLook);
    return found?.snapshot;
  }

  /** Routes in the gateway now: others' as last seen, and ours. */
  get routes(): number | undefined {
    return this.#last && this.#last.strangers + this.#parts.writer.records.routes;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.();
  }

  /** One look; resolves to the number of groups that stood otherwise than believed, and else as `look`. */
  async run(): Promise<number | undefined> {
    return (await this.look())?.drifted;
  }

  /** One look; undefined when APISIX could not be read. Callers at the same time share it. */
  look(): Promise<Look | undefined> {
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Whether foreign routes were read since APISIX last failed to answer, or just now; and since they were out of date. */
  isForeignKnown(lastTrouble: number): boolean {
    return this.#foreign.isKnown(lastTrouble);
  }

  /** Somebody's route was found otherwise than by a look at all: before pairs are taken anew, all are read. */
  outdateForeign(): void {
    this.#foreign.outdate();
  }

  /** Looks again if what is known of foreign routes is old; false when that cannot be done now. */
  async refreshForeign(): Promise<boolean> {
    const { writer } = this.#parts;
    if (this.#foreign.isRecent && this.#foreign.isKnown(writer.breaker.lastTrouble)) return true;
    const routes = await this.#take("routes");
    if (routes === undefined) return false;
    this.#reportIntruders();
    await writer.portions.whole();
    return true;
  }

  /**
   * After so many milliseconds, or anybody's that succeeds before: what an operator decides on what it found is not to lie
   * unwritten until `start` has looked too, for clusters may have changed by then.
   */
  #lookAfter(wait: number): Promise<Look | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(wait, () => resolve(this.look()));
      this.#timer = cancel;
      this.#heed = (found) => {
        this.#heed = undefined;
        cancel();
        resolve(found);
      };
    });
  }

  async #look(): Promise<Look | undefined> {
    const look = this.#parts.writer.records.beginLook();
    try {
      const snapshot = await this.#take();
      if (snapshot === undefined || this.#stopped) return undefined;
      const isFirst = this.#last === undefined;
      this.#last = lastOf(snapshot);
      this.#reports.forged(snapshot.forged);
      const found = { snapshot, drifted: await this.#adopt(snapshot, look.forgotten, isFirst) };
      this.#heed?.(found);
      return found;
    } finally {
      look.end();
    }
  }

  /** Undefined where it could not be read as a whole: then nothing is known. */
  async #take(only?: "routes"): Promise<Snapshot | undefined> {
    const { take, writer, log } = this.#parts;
    try {
      const snapshot = await take((found) => this.#foreign.hear(found, this.#last), only);
      this.#failures = 0;
      if (this.#said !== "") log.info({}, "APISIX can be read again");
      this.#said = "";
      // Its stack holds what was read until it failed.
      this.#error = undefined;
      writer.breaker.succeeded();
      return snapshot;
    } catch (error) {
      this.#failures++;
      if (!(error instanceof TranslatorError)) throw error;
      this.#error = error;
      const advice = adviceOn(error, this.#last === undefined);
      const fields = { code: error.code, reason: error.message, advice };
      if (this.#said !== error.message) log.warn(fields, "APISIX could not be read as a whole");
      this.#said = error.message;
      return undefined;
    }
  }

  #reportIntruders(): void {
    const { portions, claims } = this.#parts.writer;
    const found: Intruder[] = [];
    const take = (intruder?: Intruder): unknown => intruder && found.push(intruder);
    portions.run(claims.intruders(), take, () => this.#reports.intruders(found));
  }

  async #adopt(snapshot: Snapshot, forgotten: ReadonlySet<string>, isFirst: boolean): Promise<number> {
    const { writer, log } = this.#parts;
    const look = { at: snapshot.startedAt, isFirst };
    let drifted = 0;
    writer.portions.run(snapshot.owned, ([id, found]) => {
      // Before the first look nothing was known to stand: what was forgotten then may.
      if (!isFirst && forgotten.has(id)) return;
      const record = writer.records.findOrAdd(id, found.identity);
      if (adoptGroup(writer, record, found, look)) drifted++;
    });
    const lack = (record: GroupRecord): void => {
      if (snapshot.owned.has(record.id)) return;
      if (adoptGroup(writer, record, {}, look)) drifted++;
    };
    writer.portions.run(writer.records.all(), lack, () => {
      this.#foreign.hearIds(snapshot);
      this.#reportIntruders();
    });
    await writer.portions.whole();
    if (drifted > 0 && !isFirst)
      log.info({ groups: drifted }, "somebody changed objects of ours: they are restored");
    writer.bursts.wake();
    return isFirst ? 0 : drifted;
  }

  #plan(wait: number): void {
    if (this.#stopped) return;
    this.#timer = this.#parts.clock.after(wait, () => {
      void this.run()
        .then(() => {
          const took = this.#last === undefined ? 0 : this.#last.finishedAt - this.#last.startedAt;
          this.#plan(Math.max(this.#parts.interval, durationShare * took));
        })
        .catch(this.#parts.fault);
    });
  }
}

function lastOf({ owned: _owned, ...kept }: Snapshot): LastLook {
  return kept;
}

function adviceOn({ status }: TranslatorError, isFirst: boolean): string {
  if (status === 401 || status === 403)
    return "put the right key into gateway.adminKeyFile, which is read again when it changes, or into APISIX_ADMIN_KEY and start anew; nothing is written meanwhile";
  return `see that the Admin API answers GET /apisix/admin/routes; nothing is ${isFirst ? "written before that" : "deleted meanwhile"}`;
}
