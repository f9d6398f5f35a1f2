import type { Identity } from "../apisix/types.ts";
import { Claims } from "../claims/claims.ts";
import type { Cut, Grant } from "../claims/claim.ts";
import type { Clock, Log, Random } from "../runtime.ts";
import type { Change } from "../shard/protocol.ts";
import type { Admin } from "./admin.ts";
import { Breaker } from "./breaker.ts";
import { BurstLane } from "./burst-lane.ts";
import { Drip } from "./drip.ts";
import type { GroupRecord } from "./group-record.ts";
import { mayStand } from "./group-record.ts";
import { GroupRequests } from "./group-requests.ts";
import { Guard } from "./guard.ts";
import { KeyLock } from "./key-lock.ts";
import type { WriteObserver } from "./outcome.ts";
import { Pacer } from "./pacer.ts";
import { Records } from "./records.ts";
import { Removals } from "./removals.ts";
import { Retries } from "./retries.ts";
import type { ShardPort } from "./shard-port.ts";
import { Standings } from "./standings.ts";

export interface WriterOptions {
  readonly instance: string;
  readonly throttle: {
    readonly quiet: number;
    readonly maxDelay: number;
    readonly concurrency: number;
    readonly rate: number;
    readonly routeInterval: number | "auto";
    readonly deleteGrace: number;
  };
  readonly guard: { readonly maxDeletes: number; readonly maxDeleteRatio: number };
}

export interface WriterParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly admin: Admin;
  readonly shards: ShardPort;
  readonly observer: WriteObserver;
  /** Whether the identity's cluster is settled and its shard at work: only then is anything of it written. */
  readonly isVisible: (identity: Identity) => boolean;
  /** One harmless read of APISIX: true when it answers as APISIX does. */
  readonly probe: () => Promise<boolean>;
  /** Routes that stand in the gateway. */
  readonly routes: () => number;
  readonly refreshForeign: () => Promise<boolean>;
  readonly recovered: () => void;
  /** What is to be told of a group may have changed. */
  readonly touched: (record: GroupRecord) => void;
  /** A burst is over: what it did not grant waits. */
  readonly burstOver: () => void;
  readonly fault: (error: unknown) => void;
}

/**
 * The one writer: takes the shards' words, lets claims and guard decide, and sends requests in two lanes, one at a time
 * for each key.
 *
 * Guarantees: nothing is written before `start` and after `stop`; nothing of a cluster that is not visible; upstream
 * before route on create, route before upstream on delete.
 */
export class Writer {
  readonly claims = new Claims();
  readonly records: Records;
  readonly breaker: Breaker;
  readonly pacer: Pacer;
  readonly bursts: BurstLane;
  readonly guard: Guard;
  readonly removals: Removals;
  readonly retries: Retries;
  readonly requests: GroupRequests;
  readonly standings: Standings;
  readonly #options: WriterOptions;
  readonly #parts: WriterParts;
  readonly #drip: Drip;
  readonly #locks = new KeyLock();
  #started = false;
  #burstsOpen = false;
  #stopped = false;
  /** Routes written since the burst began. */
  #routesWritten = 0;
  /** Routes cut in this burst, whose upstreams may have to follow. */
  readonly #cut = new Set<GroupRecord>();

  constructor(options: WriterOptions, parts: WriterParts) {
    const { clock, random, log, admin, shards } = parts;
    this.#options = options;
    this.#parts = parts;
    this.records = new Records();
    this.guard = new Guard(options.guard, `b${Math.floor(random() * 0xffffff).toString(36)}`);
    this.pacer = new Pacer(clock, options.throttle);
    this.breaker = new Breaker(clock, random, {
      opened: (reason) => {
        this.pacer.close();
        const advice =
          "see that the Admin API is up and reachable; nothing is lost, writes go on when it answers";
        log.warn({ reason, advice }, "APISIX does not answer: writes are held back");
      },
      closed: () => {
        log.info({}, "APISIX answers again");
        this.pacer.open();
        this.#wakeAll();
        parts.recovered();
      },
      probe: parts.probe,
    });
    this.standings = new Standings(this.claims, shards, this.records);
    this.retries = new Retries({
      ...{ clock, random, log, breaker: this.breaker, standings: this.standings },
      gate: (record) => this.#gate(record),
      again: (record) => this.#again(record),
      readBack: (record) => this.#readBack(record),
    });
    this.requests = new GroupRequests({
      ...{ instance: options.instance, clock, log, admin, shards, pacer: this.pacer, locks: this.#locks },
      ...{ standings: this.standings, observer: this.#observer(parts.observer) },
      failed: (record, resource, result, attempt) => this.retries.failed(record, resource, result, attempt),
      succeeded: (record, resource) => this.retries.succeeded(record, resource),
    });
    this.removals = new Removals({
      ...{ clock, log, guard: this.guard, owned: (cluster) => this.records.owned(cluster) },
      begin: (record, grace) => this.#beginRemoval(record, grace),
      hold: (record) => this.claims.hold(record.id),
    });
    this.#drip = new Drip(clock, options.throttle, (id) => this.#release(id));
    this.bursts = this.#burstLane();
  }

  get dripDepth(): number {
    return this.#drip.depth + this.pacer.depth("drip");
  }

  /** Nothing is in flight and nothing waits but for time, claims or the guard. */
  get isQuiet(): boolean {
    return this.pacer.running === 0 && !this.bursts.running && this.dripDepth === 0;
  }

  /** What stands has been read: from now on words of shards are acted on. */
  start(): void {
    this.#started = true;
    this.#wakeAll();
  }

  /** Pairs that nothing in APISIX holds may be granted: every cluster was heard or is known to be silent. */
  openBursts(): void {
    this.#burstsOpen = true;
    this.bursts.wake();
  }

  get areBurstsOpen(): boolean {
    return this.#burstsOpen;
  }

  /** What is in flight ends; nothing more is sent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.bursts.stop();
    this.#drip.stop();
    this.retries.stop();
    this.breaker.stop();
    this.pacer.close();
    while (this.pacer.running > 0) await new Promise<void>((resolve) => this.#parts.clock.after(5, resolve));
  }

  /** A shard's word on one group. */
  take(change: Change): void {
    if (change.identity.route === "") return this.records.takeStray(change);
    const record = this.records.findOrAdd(change.id, change.identity);
    record.change = change;
    this.#parts.touched(record);
    if (change.at !== undefined) record.at = Math.min(record.at ?? change.at, change.at);
    const { stand } = change;
    if (stand.type === "absent") return this.#takeAbsent(record, stand.grace);
    this.#cancelRemoval(record);
    if (stand.type === "live") this.#takeLive(record, stand);
    else if (stand.type === "nothing") this.#takeNothing(record);
    else {
      this.claims.hold(record.id);
      record.claim = undefined;
      if (stand.type === "frozen" && stand.upstream) this.#dirtyUpstream(record);
    }
    this.#gate(record);
    this.bursts.wake();
  }

  /** A shard asks for what stands under an id. */
  async need(id: string, identity: Identity): Promise<void> {
    const record = this.records.findOrAdd(id, identity);
    const found = await this.requests.lookAt(record);
    if (this.#stopped) return;
    if (found === "failed") return void this.#parts.clock.after(1000, () => void this.need(id, identity));
    this.#parts.shards.kept(identity, id, found.upstream, found.route);
    this.#finalize(record);
  }

  /** Ids under which an object stands that is not ours: never written. Replaces what was said before. */
  occupy(ids: ReadonlySet<string>): void {
    for (const record of this.records.all()) {
      if (record.occupied === ids.has(record.id)) continue;
      record.occupied = ids.has(record.id);
      this.#gate(record);
      this.#again(record);
    }
  }

  /** What stands has been looked at. */
  settleLook(record: GroupRecord): void {
    this.#gate(record);
    this.#finalize(record);
  }

  /** The shard that spoke of these groups is lost: what it said counts no more, what stands stands. */
  unhear(isOf: (identity: Identity) => boolean): void {
    for (const record of this.records.all()) {
      if (!isOf(record.identity)) continue;
      record.change = undefined;
      this.#gate(record);
    }
    this.records.dropStrays(isOf);
  }

  /** Their shard has said everything anew: what it did not mention, and of which nothing stands, is gone. */
  rehear(isOf: (identity: Identity) => boolean): void {
    const records = [...this.records.all()].filter(({ identity }) => isOf(identity));
    for (const record of records) if (!this.isBusy(record.id)) this.#finalize(record);
    this.regate(records);
  }

  /** The visibility of some groups has changed. */
  regate(records: Iterable<GroupRecord>): void {
    for (const record of records) {
      this.#gate(record);
      this.#again(record);
    }
    this.bursts.wake();
  }

  isBusy(id: string): boolean {
    return this.#locks.isBusy(id);
  }

  /** Lets go what the guard held under this batch. */
  approve(batch: string): number | undefined {
    const released = this.removals.approve(batch);
    this.bursts.wake();
    return released;
  }

  #takeLive(record: GroupRecord, stand: Extract<Change["stand"], { type: "live" }>): void {
    if (stand.upstream || stand.route) this.retries.clear(record);
    record.dirty.route ||= stand.route;
    if (stand.upstream) this.#dirtyUpstream(record);
    const { id, identity } = record;
    const { age, pairs, inherits } = stand;
    record.claim = { id, identity, age, pairs, inherits, dirty: record.dirty.route };
    this.claims.want(record.claim);
  }

  #takeNothing(record: GroupRecord): void {
    record.claim = undefined;
    if (mayStand(record) || this.#locks.isBusy(record.id)) return this.claims.hold(record.id);
    this.claims.forget(record.id);
    if (Object.keys(record.change?.counts ?? {}).length === 0) this.records.delete(record);
  }

  #takeAbsent(record: GroupRecord, grace: boolean): void {
    record.claim = undefined;
    record.dirty = { upstream: false, route: false };
    if (!mayStand(record) && !this.#locks.isBusy(record.id)) return this.#finalize(record);
    if (record.ending || (record.leaving !== undefined && grace)) return;
    record.leaving = undefined;
    this.claims.hold(record.id);
    this.removals.request(record, grace);
    this.bursts.wake();
  }

  #cancelRemoval(record: GroupRecord): void {
    record.leaving = undefined;
    record.ending = false;
    this.removals.cancel(record);
  }

  #beginRemoval(record: GroupRecord, grace: boolean): void {
    const { deleteGrace } = this.#options.throttle;
    if (!grace || deleteGrace === 0) return this.#end(record);
    const { clock } = this.#parts;
    const leaving = { due: clock.now() + deleteGrace, emptied: false };
    record.leaving = leaving;
    this.claims.leave(record.id, record.identity, { grace: true });
    void this.#empty(record).catch(this.#parts.fault);
    clock.after(deleteGrace, () => {
      if (record.leaving === leaving && !this.#stopped) this.#end(record);
    });
    this.bursts.wake();
  }

  #end(record: GroupRecord): void {
    record.leaving = undefined;
    record.ending = true;
    this.claims.leave(record.id, record.identity, { grace: false });
    this.#gate(record);
    if (record.route === undefined && record.uncertain === undefined) {
      void this.#remove(record).catch(this.#parts.fault);
    }
    this.bursts.wake();
  }

  async #empty(record: GroupRecord): Promise<void> {
    if (record.leaving === undefined || record.leaving.emptied || !this.#mayWrite(record)) return;
    const end = await this.requests.emptyUpstream(record);
    if (end !== "failed" && record.leaving !== undefined) record.leaving.emptied = true;
  }

  #dirtyUpstream(record: GroupRecord): void {
    record.dirty.upstream = true;
    if (record.upstream !== undefined || record.route !== undefined) this.#drip.changed(record.id);
  }

  #release(id: string): void {
    const record = this.records.get(id);
    if (record === undefined || !record.dirty.upstream || !this.#mayWrite(record)) return;
    if (record.upstream === undefined && record.route === undefined) return;
    void this.requests.writeUpstream(record, "drip").catch(this.#parts.fault);
  }

  #mayWrite(record: GroupRecord): boolean {
    return this.#started && !this.#stopped && !this.#isBlocked(record) && !record.held;
  }

  #isBlocked(record: GroupRecord): boolean {
    return record.occupied || record.retryAt > 0 || !this.#parts.isVisible(record.identity);
  }

  #gate(record: GroupRecord): void {
    this.claims.block(record.id, this.#isBlocked(record));
  }

  /** Takes up whatever is open for a group that may be written again. */
  #again(record: GroupRecord): void {
    if (!this.#mayWrite(record)) return;
    if (record.dirty.upstream) this.#drip.changed(record.id);
    if (record.claim !== undefined && record.dirty.route) this.claims.want({ ...record.claim, dirty: true });
    if (record.leaving?.emptied === false) void this.#empty(record).catch(this.#parts.fault);
    if (record.ending) this.#end(record);
    this.retries.reconsider(record);
    this.bursts.wake();
  }

  #wakeAll(): void {
    this.regate(this.records.all());
  }

  async #readBack(record: GroupRecord): Promise<boolean> {
    const found = await this.requests.lookAt(record);
    if (found === "failed") return false;
    this.standings.certain(record);
    if (record.claim !== undefined) this.claims.want({ ...record.claim, dirty: record.dirty.route });
    this.#finalize(record);
    this.bursts.wake();
    return true;
  }

  async #remove(record: GroupRecord): Promise<void> {
    const end = await this.requests.remove(record, "both");
    if (end !== "failed") this.#finalize(record);
  }

  /** Nothing declares it and nothing of it stands: it is forgotten everywhere. */
  #finalize(record: GroupRecord): void {
    const stand = record.change?.stand.type;
    if (mayStand(record) || (stand !== "absent" && stand !== undefined)) return;
    this.#cancelRemoval(record);
    this.guard.forget(record.id);
    this.retries.clear(record);
    this.claims.forget(record.id);
    this.records.delete(record);
    this.#parts.shards.forget(record.identity, record.id);
  }

  #burstLane(): BurstLane {
    const { clock, routes, refreshForeign, fault } = this.#parts;
    const { routeInterval, concurrency } = this.#options.throttle;
    return new BurstLane({
      ...{ clock, claims: this.claims, interval: routeInterval, concurrency, routes, refreshForeign, fault },
      isOpen: () => this.#started && this.#burstsOpen && !this.#stopped && this.breaker.state !== "down",
      cut: (cut) => this.#cutRoute(cut),
      grant: (grant) => this.#grant(grant),
      finish: () => this.#finishBurst(),
    });
  }

  async #cutRoute(cut: Cut): Promise<void> {
    const record = this.records.get(cut.id);
    if (record === undefined || !this.#mayWrite(record)) return this.claims.unsent(cut.id);
    this.#parts.touched(record);
    if (cut.type === "delete" && cut.why === "leaving") {
      await this.#remove(record);
    } else if (cut.type === "narrow") {
      await this.requests.narrowRoute(record, cut);
    } else {
      const { clock } = this.#parts;
      const { cluster } = record.identity;
      const owned = this.records.owned(cluster);
      if (cut.why === "foreign" && this.guard.ask(clock.now(), cut.id, cluster, owned) === "held") {
        return this.claims.refused(cut.id);
      }
      await this.requests.remove(record, "route");
      this.#cut.add(record);
    }
    this.standings.confirm(record);
  }

  async #grant(grant: Grant): Promise<void> {
    const record = this.records.get(grant.id);
    if (record === undefined || !this.#mayWrite(record)) return this.claims.unsent(grant.id);
    this.#parts.touched(record);
    if (record.upstream === undefined || record.dirty.upstream) {
      const upstream = await this.requests.writeUpstream(record, "burst");
      if (upstream !== "done") return this.#giveBack(record);
    }
    if (!this.#mayWrite(record)) return this.claims.unsent(grant.id);
    const route = await this.requests.writeRoute(record, grant.pairs);
    if (route === "done") this.standings.confirm(record);
    else this.#giveBack(record);
  }

  /** What was granted was not written: another may have it before this one is tried again. */
  #giveBack(record: GroupRecord): void {
    if (record.rejected === undefined) this.claims.unsent(record.id);
    else this.claims.refused(record.id);
  }

  /** A route that had to yield and did not come back has no use for its upstream. */
  async #finishBurst(): Promise<boolean> {
    for (const record of this.#cut) {
      const isOut = record.route === undefined && this.claims.outcome(record.id).state === "conflict";
      if (isOut && this.#mayWrite(record)) await this.requests.remove(record, "both");
    }
    this.#cut.clear();
    this.#parts.burstOver();
    const wrote = this.#routesWritten > 0;
    this.#routesWritten = 0;
    return wrote;
  }

  #observer(observer: WriteObserver): WriteObserver {
    return {
      ...observer,
      wrote: (write) => {
        if (write.resource === "route") this.#routesWritten++;
        observer.wrote(write);
        const record = this.records.get(write.id);
        if (write.outcome !== "done" || record?.drift[write.resource] !== true) return;
        record.drift[write.resource] = false;
        observer.repaired(write.resource);
      },
    };
  }
}
