import { Claims } from "../claims/claims.ts";
import { BodiesAhead } from "./bodies-ahead.ts";
import type { Breaker } from "./breaker.ts";
import { BurstLane } from "./burst-lane.ts";
import { BurstWork } from "./burst-work.ts";
import { Drip } from "./drip.ts";
import { gatewayBreaker } from "./gateway-breaker.ts";
import { GroupFlow } from "./group-flow.ts";
import type { GroupRecord } from "./group-record.ts";
import { GroupRequests } from "./group-requests.ts";
import { Guard } from "./guard.ts";
import { KeyLock } from "./key-lock.ts";
import { Limiting } from "./limiting.ts";
import { hearStrangers } from "./occupied-ids.ts";
import type { Strangers } from "./occupied-ids.ts";
import { Pacer } from "./pacer.ts";
import { Pause } from "./pause.ts";
import { Portions } from "./portions.ts";
import { Records } from "./records.ts";
import { Removals } from "./removals.ts";
import { ResourceRequests } from "./resource-requests.ts";
import { Retries } from "./retries.ts";
import { ShardWords } from "./shard-words.ts";
import { Standings } from "./standings.ts";
import { SteppingBack } from "./stepping-back.ts";
import { WriteReports } from "./write-reports.ts";
import { TimedClaims } from "./timed-claims.ts";
import type { WriterOptions, WriterParts } from "./writer-parts.ts";

/** Of upstream and route of two requests ahead for each that is under way, and some to spare. */
const bodiesPerRequest = 8;

/**
 * The one writer: takes the shards' words, lets claims and guard decide, and sends requests in two lanes, one at a time
 * for each key. This file holds its parts together; what becomes of a group is `GroupFlow`'s.
 *
 * Guarantees: nothing is written before `start`, after `stop` and during a pause; nothing of a cluster that is not
 * visible; upstream before route on create, route before upstream on delete.
 */
export class Writer {
  readonly claims: Claims;
  readonly records = new Records();
  readonly breaker: Breaker;
  readonly pacer: Pacer;
  readonly portions: Portions;
  readonly pause: Pause;
  readonly bursts: BurstLane;
  readonly guard: Guard;
  readonly removals: Removals;
  readonly retries: Retries;
  readonly requests: GroupRequests;
  readonly standings: Standings;
  readonly limiting: Limiting;
  /** What shards say comes in here. */
  readonly words: ShardWords;
  readonly #parts: WriterParts;
  readonly #flow: GroupFlow;
  readonly #steppingBack: SteppingBack;
  readonly #drip: Drip;
  readonly #bodies: BodiesAhead;
  readonly #reports: WriteReports;
  readonly #locks = new KeyLock((id) => this.#flow.idle(id));
  #started = false;
  #burstsOpen = false;
  #stopped = false;

  constructor(options: WriterOptions, parts: WriterParts) {
    const { clock, random, log, admin, shards, fault, isVisible, mayGo } = parts;
    const { throttle, instance } = options;
    this.#parts = parts;
    this.claims = parts.time === undefined ? new Claims() : new TimedClaims(parts.time);
    this.guard = new Guard(options.guard, `b${Math.floor(random() * 0xffffff).toString(36)}`);
    this.pacer = new Pacer(clock, throttle);
    this.portions = new Portions(clock, fault);
    this.#bodies = new BodiesAhead(shards, bodiesPerRequest * throttle.concurrency);
    this.#reports = new WriteReports(parts.observer, this.records);
    this.breaker = gatewayBreaker(parts, this, this.#bodies);
    this.standings = new Standings(this.claims, shards, this.records);
    this.#drip = new Drip(clock, throttle, (id) => this.#flow.release(id));
    const { deleteGrace } = throttle;
    const changed = (id: string): void => this.#drip.changed(id);
    const sight = { isVisible, mayGo };
    this.#flow = new GroupFlow({ clock, deleteGrace, shards, writer: this, ...sight, changed, fault });
    this.retries = new Retries({
      ...{ clock, random, log, breaker: this.breaker, standings: this.standings },
      gate: (record) => this.#flow.gate(record),
      again: (record) => this.#flow.again(record),
      look: async (record) => (await this.requests.lookAt(record)) !== "failed",
      readBack: (record) => this.#flow.readBack(record),
    });
    const resources = new ResourceRequests({
      ...{ instance, clock, log, admin },
      ...{ standings: this.standings, observer: this.#reports },
      ...(parts.time === undefined ? {} : { time: parts.time }),
      mayWrite: (record, resource) => this.#flow.mayWrite(record, resource),
      occupied: (record, resource) => {
        if (resource === "route" && record.route !== undefined) parts.routeTaken();
        this.claims.occupy(record.id, resource);
      },
      failed: (record, resource, result, attempt) => this.retries.failed(record, resource, result, attempt),
      succeeded: (record, resource) => this.retries.succeeded(record, resource),
    });
    this.requests = new GroupRequests({
      ...{ clock, log, resources, bodies: this.#bodies, pacer: this.pacer, locks: this.#locks },
      isAtWork: () => this.isAtWork,
    });
    this.removals = new Removals({
      ...{
        clock,
        log,
        guard: this.guard,
        portions: this.portions,
        owned: (cluster) => this.records.owned(cluster),
      },
      begin: (record, removal) => this.#flow.beginRemoval(record, removal),
      letGo: ({ identity, id }, cluster) => shards.letGo(identity, id, cluster),
      hold: (record) => this.claims.hold(record.id),
    });
    const { claims, records, guard, pacer, removals } = this;
    this.limiting = new Limiting(options.policy.maxRoutesPerNamespace, {
      ...{ records, isBusy: (id) => this.isBusy(id), take: (change) => this.words.take(change) },
    });
    const { limiting } = this;
    this.words = new ShardWords({
      ...{ claims, records, limiting, removals, bodies: this.#bodies, flow: this.#flow },
      ...{ touched: parts.touched, strayed: parts.strayed, bursts: () => this.bursts },
      isBusy: (id) => this.isBusy(id),
      regate: (some) => this.regate(some),
    });
    this.pause = new Pause({ clock, log, pacer, removals, resumed: () => this.regate(records.all()) });
    this.#steppingBack = new SteppingBack({ clock, log, claims, records, guard });
    this.bursts = this.#burstLane(options);
  }

  get dripDepth(): number {
    return this.#drip.depth + this.pacer.depth("drip");
  }

  /** Nothing is in flight and nothing waits but for time, claims or the guard. */
  get isQuiet(): boolean {
    const isIdle = this.pacer.running === 0 && this.dripDepth === 0;
    return isIdle && !this.bursts.running && !this.portions.isRunning && !this.#flow.questions.isAsking;
  }

  /** Requests that could begin now. */
  get freeRequests(): number {
    return this.isAtWork ? this.pacer.free : 0;
  }

  get isAtWork(): boolean {
    return this.#started && !this.#stopped && !this.pause.isOn;
  }

  get areBurstsOpen(): boolean {
    return this.#burstsOpen;
  }

  isBusy(id: string): boolean {
    return this.#locks.isBusy(id);
  }

  /** What stands has been read: from now on words of shards are acted on. */
  start(): void {
    this.#started = true;
    this.limiting.begin();
    this.regate(this.records.all());
  }

  /** Pairs that nothing in APISIX holds may be granted: every cluster was heard or is known to be silent. */
  openBursts(): void {
    this.#burstsOpen = true;
    this.bursts.wake();
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

  /** What is not ours, as a look has found it, in place of what an older one did; in portions, and then calls `done`. */
  setForeign(found: Strangers, done: () => void = () => {}): void {
    hearStrangers(this, found, (moved) => {
      // A stranger's route may keep what was refused from its pairs, too.
      this.regate(new Set([...moved, ...this.records.routeless, ...this.retries.refused]));
      this.#steppingBack.review();
      done();
    });
  }

  /** What stands has been looked at. */
  settleLook(record: GroupRecord): void {
    this.limiting.looked(record);
    this.#flow.finalize(record);
    this.#flow.again(record);
  }

  /** The visibility of some groups has changed. */
  regate(records: Iterable<GroupRecord>): void {
    this.portions.run(
      records,
      (record) => this.#flow.again(record),
      () => this.bursts.wake(),
    );
  }

  /** Lets go what the guard held under this batch; undefined: there is no such batch. */
  approve(batch: string): number | undefined {
    const released = this.removals.approve(batch);
    this.#steppingBack.review();
    this.bursts.wake();
    return released;
  }

  #burstLane({ throttle }: WriterOptions): BurstLane {
    const { clock, routes, refreshForeign, fault, touched, burstOver } = this.#parts;
    const { claims, records, requests, standings } = this;
    const work = new BurstWork({
      ...{ claims, records, requests, standings, touched, bodies: this.#bodies, retries: this.retries },
      ...{ steppingBack: this.#steppingBack, flow: this.#flow, removals: this.removals },
      isForeignKnown: () => this.#parts.isForeignKnown(this.breaker.lastTrouble),
    });
    return new BurstLane({
      ...{ clock, claims, interval: throttle.routeInterval, concurrency: throttle.concurrency },
      ...{ routes, refreshForeign, fault },
      isOpen: () => this.isAtWork && this.#burstsOpen && this.breaker.state !== "down",
      whole: () => this.portions.whole(),
      prepare: (grant) => work.prepare(grant),
      cut: (cut) => work.cut(cut),
      grant: (grant) => work.grant(grant),
      check: (check) => work.check(check),
      finish: async () => {
        await work.finish();
        this.#steppingBack.review();
        burstOver();
        return this.#reports.takeRoutes();
      },
    });
  }
}
