import type { SourceKind } from "../declare/declaration.ts";
import type { Clock, Log } from "../runtime.ts";
import { sourcesTouchedBy } from "../store/source-kinds.ts";
import type { Kind } from "../watch/events.ts";
import type { GroupRecord } from "./group-record.ts";
import type { Guard } from "./guard.ts";
import { newJudgement, type Judgement } from "./judgement.ts";
import { PartRemovals } from "./part-removals.ts";
import type { Portions } from "./portions.ts";
import { placeKey } from "./source-place.ts";
import type { SourcePlace } from "./source-place.ts";

/**
 * What is to be taken away of a group. `leave`: emptied, and deleted after a grace; `end`: deleted; `empty`: its nodes, for
 * all that they were read from is gone.
 */
export type Removal = "leave" | "end" | "empty";

/**
 * Why nothing can be written now. What must go meanwhile would pass the guard's window minute by minute, and then all of it
 * would go at once.
 */
export type Suspension = "pause" | "gateway";

export interface RemovalParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly guard: Guard;
  readonly portions: Pick<Portions, "each">;
  /** Groups that this instance owns: in the cluster, and in all. */
  readonly owned: (cluster: string) => { readonly cluster: number; readonly all: number };
  /** The guard let it go. */
  readonly begin: (record: GroupRecord, removal: Removal) => void;
  /** The guard let the part of this cluster go. */
  readonly letGo: (record: GroupRecord, cluster: string) => void;
  /** The guard holds it: it keeps nodes, route and pairs. */
  readonly hold: (record: GroupRecord) => void;
}

/** A whole group, by its id; or the part of one cluster in a group that has others. */
interface Asked {
  readonly record: GroupRecord;
  readonly what: Removal | { readonly partOf: string };
  isHeld: boolean;
}

/**
 * What must go, on its way through the guard. Removals that a relist or the start of a kind brings are gathered while its
 * judgement is open, and judged whole.
 */
export class Removals {
  /** What clusters have in fleet groups that others have a part in too. */
  readonly ofParts: PartRemovals;
  readonly #parts: RemovalParts;
  readonly #asked = new Map<string, Asked>();
  /** `cluster/kind of source`. */
  readonly #judgements = new Map<string, Judgement>();
  readonly #suspended = new Set<Suspension>();

  constructor(parts: RemovalParts) {
    this.#parts = parts;
    this.ofParts = new PartRemovals(parts.guard, {
      ask: (key, record, cluster, isHeld) => {
        const { kind } = record.identity;
        this.#ask(key, { record, what: { partOf: cluster }, isHeld }, { cluster, kind });
      },
      cancel: (key) => this.#cancel(key),
      letGo: (record, cluster) => parts.letGo(record, cluster),
    });
  }

  /** A list of this watched kind may take away what groups of its kinds of source rest on. */
  open(cluster: string, watched: Kind): void {
    for (const kind of sourcesTouchedBy(watched)) this.#gathered({ cluster, kind }).open.add(watched);
  }

  /**
   * What this kind takes away is all known. `foundNothing`: for this kind of source the complete list was empty where ten
   * or more groups stood.
   */
  close(cluster: string, watched: Kind, foundNothing: (kind: SourceKind) => boolean): void {
    for (const kind of sourcesTouchedBy(watched)) {
      const judgement = this.#judgements.get(placeKey({ cluster, kind }));
      if (judgement === undefined) continue;
      judgement.open.delete(watched);
      judgement.foundNothing ||= foundNothing(kind);
      if (judgement.open.size === 0 && this.#suspended.size === 0) this.#judge(judgement);
    }
  }

  /** Nothing is judged until `resume`: what must go is gathered. */
  suspend(why: Suspension): void {
    this.#suspended.add(why);
  }

  /** Judges what was gathered, each cluster's whole, unless something else keeps it from being written. */
  resume(why: Suspension): void {
    if (!this.#suspended.delete(why) || this.#suspended.size > 0) return;
    for (const judgement of [...this.#judgements.values()])
      if (judgement.open.size === 0) this.#judge(judgement);
  }

  request(record: GroupRecord, removal: Removal): void {
    // All that it consisted of was asked for, and let go.
    if (this.ofParts.areAllLetGo(record)) {
      this.cancel(record);
      return this.#parts.begin(record, removal);
    }
    this.#ask(record.id, { record, what: removal, isHeld: record.held }, this.#placeOf(record));
  }

  /** Whether it is gathered to be judged, or held: until that is answered it keeps what it has. */
  isAsked({ id }: GroupRecord): boolean {
    return this.#asked.has(id);
  }

  /** Nothing of it stands any more, and it is forgotten. */
  forgotten(record: GroupRecord): void {
    this.cancel(record);
    this.ofParts.forgotten(record);
  }

  /** It goes, whatever the guard would say. */
  force(record: GroupRecord): void {
    this.cancel(record);
    this.#parts.begin(record, "end");
  }

  /** It is declared again, or gone. */
  cancel(record: GroupRecord): void {
    record.held = false;
    this.#cancel(record.id);
  }

  /** Nothing of it is to go any more. What was let go has gone, and counts as let go still. */
  withdraw(record: GroupRecord): void {
    if (this.#asked.has(record.id)) this.cancel(record);
  }

  /** Nothing is known of the cluster any more, nor what must go of it; but of a whole fleet group nobody says so again. */
  forget(cluster: string): void {
    const ofCluster = [...this.#judgements.values()].filter(({ place }) => place.cluster === cluster);
    for (const judgement of ofCluster) {
      for (const key of judgement.asked)
        if (!isFleetGroup(key, this.#asked.get(key))) judgement.asked.delete(key);
      judgement.open.clear();
      if (this.#suspended.size === 0) this.#judge(judgement);
    }
  }

  /** Lets go what the guard held under this batch; undefined: there is no such batch. */
  approve(batch: string): number | undefined {
    const ids = this.#parts.guard.approve(batch);
    if (ids === undefined) return undefined;
    this.#go(ids);
    return ids.length;
  }

  /**
   * Under what it is judged. A fleet group that nothing declares any more counts for one of the clusters that had a part
   * in it: one that is being judged, else the first by name.
   */
  #placeOf({ identity: { share, cluster, kind }, members }: GroupRecord): SourcePlace {
    if (share !== "fleet") return { cluster, kind };
    const names = members.map(([name]) => name);
    const judged = names.find(
      (name) => (this.#judgements.get(placeKey({ cluster: name, kind }))?.open.size ?? 0) > 0,
    );
    return { cluster: judged ?? names[0] ?? "", kind };
  }

  #ask(key: string, asked: Asked, place: SourcePlace): void {
    const { guard, clock, owned } = this.#parts;
    const { cluster } = place;
    this.#asked.set(key, asked);
    const judgement =
      this.#suspended.size > 0 ? this.#gathered(place) : this.#judgements.get(placeKey(place));
    if (judgement !== undefined) return void judgement.asked.add(key);
    this.#answer([key], cluster, guard.ask(clock.now(), key, cluster, owned(cluster)));
  }

  #cancel(key: string): void {
    this.#asked.delete(key);
    this.#parts.guard.release(this.#parts.clock.now(), key);
  }

  #gathered(place: SourcePlace): Judgement {
    const key = placeKey(place);
    const found = this.#judgements.get(key) ?? newJudgement(place);
    this.#judgements.set(key, found);
    return found;
  }

  #judge({ place: { cluster, kind }, asked, foundNothing }: Judgement): void {
    const keys = [...asked].filter((key) => this.#asked.has(key));
    this.#judgements.delete(placeKey({ cluster, kind }));
    if (keys.length === 0) return;
    const { guard, clock, owned } = this.#parts;
    this.#answer(keys, cluster, guard.judge(clock.now(), cluster, keys, owned(cluster), { foundNothing }));
  }

  #answer(keys: readonly string[], cluster: string, answer: "go" | "held"): void {
    if (answer === "go") return this.#go(keys);
    const { guard, log, portions } = this.#parts;
    const { batch } = guard.status();
    const advice = `check that the cluster is right, then approve: POST /guard/approve?batch=${batch}`;
    let fresh = 0;
    const tell = (key: string): void => {
      // What was let go before goes on: its slices, say, were listed before its Service.
      if (guard.hasPassed(key)) this.#release(key);
      else if (guard.isHeld(key) && this.#hold(key)) fresh++;
    };
    portions.each(keys, tell, () => {
      if (fresh > 0) log.warn({ cluster, groups: fresh, batch, advice }, "the guard holds removals");
    });
  }

  /** Whether it was not held before. */
  #hold(key: string): boolean {
    const asked = this.#asked.get(key);
    if (asked === undefined) return false;
    const { isHeld: wasHeld, record, what } = asked;
    asked.isHeld = true;
    if (typeof what === "object") return !wasHeld;
    record.held = true;
    this.#parts.hold(record);
    return !wasHeld;
  }

  /** Until its turn comes a group counts as asked: nothing of it is written. */
  #go(keys: readonly string[]): void {
    const { guard, portions } = this.#parts;
    // Declared again meanwhile, and gone again: the guard is asked anew.
    portions.each(keys, (key) => guard.hasPassed(key) && this.#release(key));
  }

  #release(key: string): void {
    const asked = this.#asked.get(key);
    if (asked === undefined) return;
    this.#asked.delete(key);
    const { record, what } = asked;
    if (typeof what === "object") return this.ofParts.letGo(this.#parts.clock.now(), record, what.partOf);
    record.held = false;
    this.#parts.begin(record, what);
  }
}

function isFleetGroup(key: string, asked: Asked | undefined): boolean {
  return asked?.record.id === key && asked.record.identity.share === "fleet";
}
