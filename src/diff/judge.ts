import type { Identity, MemberCluster } from "../apisix/types.ts";
import type { Surroundings, Translation } from "../desired/context.ts";
import { DesiredState } from "../desired/desired-state.ts";
import type { Group, Stands, View } from "../desired/group.ts";
import { viewGroup } from "../desired/view-group.ts";
import type { Change } from "../shard/change.ts";
import type { BuiltBody, GonePart } from "../shard/protocol.ts";
import { changeOf } from "./change-of.ts";
import { Contents } from "./contents.ts";
import { handOut, unaskedBody } from "./hand-out.ts";
import { KnownIndex } from "./known-index.ts";
import type { NodeWish } from "./node-users.ts";
import { reviewParts } from "./loses-part.ts";
import { Sights } from "./sights.ts";
import type { Tracked } from "./tracked.ts";
import { letGo, newTracked, wordOf } from "./tracked.ts";

interface Need {
  readonly id: string;
  readonly identity: Identity;
}

/** What has been found out, and is to be said. */
export interface Drained {
  readonly changes: readonly Change[];
  readonly needs: readonly Need[];
  readonly bodies: readonly BuiltBody[];
  readonly wishes: readonly NodeWish[];
  readonly parts: readonly GonePart[];
}

/** Told of a group before it is worked on, so that it can be named should that never end. */
export type Working = (group: Group, why: "judge" | "want") => void;

/** Says what groups mean, from what is desired and what stands. */
export class Judge {
  readonly desired: DesiredState;
  readonly known = new KnownIndex();
  readonly uids = new Map<string, string>();
  readonly contents: Contents;
  readonly sights: Sights;
  readonly surroundings: Surroundings;
  readonly #tracked = new Map<string, Tracked>();
  #changes: Change[] = [];
  #needs: Need[] = [];
  #bodies: BuiltBody[] = [];
  /** Bodies that may still be handed out unasked. */
  #mayHandOut = 0;

  readonly #working: Working;

  /** `working`: told of each group before it is worked on. */
  constructor(translation: Translation, working: Working = () => {}) {
    this.#working = working;
    const desired = new DesiredState(translation, this.known);
    const sights = new Sights(() => desired.translation);
    this.desired = desired;
    this.sights = sights;
    this.contents = new Contents(translation.instance, this.known, this.uids);
    this.surroundings = {
      get translation() {
        return desired.translation;
      },
      sight: (group, cluster) => sights.of(group, cluster),
      isPartLetGo: ({ id }, cluster) => sights.goneParts.isLetGo(id, cluster),
    };
  }

  /** What has been found out since the last call. */
  drain(): Drained {
    const drained = {
      ...{ changes: this.#changes, needs: this.#needs, bodies: this.#bodies },
      wishes: this.sights.nodeUsers.drain(),
      parts: this.sights.goneParts.drain(),
    };
    this.#changes = [];
    this.#needs = [];
    this.#bodies = [];
    return drained;
  }

  /** A body of the group is about to be built. */
  wants(group: Group): void {
    this.#working(group, "want");
  }

  announce(change: Change): void {
    this.#changes.push(change);
  }

  /** Judges these; so many bodies may be handed out with what is said. */
  judgeAll(ids: Iterable<string>, bodies: number): void {
    this.#mayHandOut = bodies;
    for (const id of ids) this.judge(id);
    this.#mayHandOut = 0;
  }

  /** Says what a group means now, if that is news. `verify`: its content is built and compared, not presumed changed. */
  judge(id: string, verify = false): void {
    const known = this.known.get(id);
    const group = this.groupOf(id);
    if (group === undefined) return;
    reviewParts(group, this);
    if (this.mustWait(group)) return;
    this.#working(group, "judge");
    const tracked = this.track(id);
    // Before it is viewed: it may be that some members have nothing in it.
    const isUnclear = this.isUnclear(group);
    const view = this.view(group);
    if (this.sights.waitsForNodes(group, view)) return;
    tracked.isPlain =
      view.type === "live" && [...group.members.values()].every(({ paused }) => paused === false);
    if (isUnclear) return this.need(group);
    if (view.type === "live" || view.type === "frozen") {
      // What is presumed to lose its nodes comes before the guard: it may have none.
      if (this.contents.judge(group, view, tracked, verify || view.bare) === "missing") this.need(group);
    } else
      Object.assign(tracked, {
        ...newTracked(),
        route: letGo(tracked.route),
        routeKey: tracked.routeKey,
        word: tracked.word,
        at: tracked.at,
        needed: tracked.needed,
        awaitsUpstream: tracked.awaitsUpstream,
        mayCome: tracked.mayCome,
      });
    const body = this.#mayHandOut > 0 ? unaskedBody(group, view, tracked, known, this.contents) : undefined;
    this.#say(group, view, tracked);
    if (body !== undefined) {
      this.#mayHandOut--;
      this.#bodies.push(handOut(id, body, view, tracked, this.membersOf(group, view)));
    }
    if (group.members.size === 0 && known === undefined) this.drop(id);
  }

  /** One that is declared or stands. */
  groupOf(id: string): Group | undefined {
    const known = this.known.get(id);
    return this.desired.groups.get(id) ?? (known && this.desired.group(id, known.identity));
  }

  /** Whether nothing may be said of the group yet, nor written. */
  mustWait(group: Group): boolean {
    return this.sights.mustWait(group, this.stands(group));
  }

  view(group: Group): View {
    const view = viewGroup(group, this.stands(group), this.surroundings);
    if (
      view.type === "absent" &&
      view.cause !== "forbidden" &&
      // A cluster that only may have a part in it does not make all of it the purge's.
      this.sights.isPurged(group, this.known.of(group.id))
    )
      return { ...view, grace: false, cause: "purged" };
    if (view.type === "absent" && view.cause === "gone" && this.#isDisowned(group))
      return { ...view, grace: false, cause: "undeclared" };
    if ((view.type === "live" || view.type === "frozen") && this.#isKeptOfNoUse(group, view))
      group.kept = undefined;
    return view;
  }

  /**
   * What stands of the group. Any cluster may have a part in a fleet group where its upstream does not say whose it is
   * (somebody took the labels off), or is none of ours, for then nobody has kept up whom it names.
   */
  stands({ id, identity }: Group): Stands {
    const stands = this.known.of(id);
    const isUnsaid = identity.share === "fleet" && (stands.members.length === 0 || !stands.upstream);
    if (!isUnsaid || !(stands.upstream || stands.route)) return stands;
    const names = this.desired.translation.clusters.keys();
    const any = [...names].map((name) => [name, ""] as const);
    return { ...stands, members: [...new Map([...any, ...stands.members])] };
  }

  /** It stands, and who is in it is open: nothing is said of it, nor written, before a look at it. */
  isUnclear(group: Group): boolean {
    if (this.known.get(group.id) !== undefined) return this.desired.isUnclear(group);
    // What is on its way may come to stand.
    const { awaitsUpstream, mayCome } = this.track(group.id);
    if (!awaitsUpstream) this.desired.nothingStands(group, mayCome);
    return false;
  }

  need({ id, identity }: Need): void {
    const tracked = this.track(id);
    if (tracked.needed) return;
    tracked.needed = true;
    this.#needs.push({ id, identity });
  }

  track(id: string): Tracked {
    const held = this.#tracked.get(id);
    if (held !== undefined) return held;
    const tracked = newTracked();
    this.#tracked.set(id, tracked);
    return tracked;
  }

  /** Nothing is remembered of the group: what comes next of it is new. */
  drop(id: string): void {
    this.desired.groups.delete(id);
    this.#tracked.delete(id);
    this.sights.nodeUsers.note(id, []);
  }

  /** The clusters that a fleet group's upstream is to name. */
  membersOf({ identity }: Group, view: View): readonly MemberCluster[] | undefined {
    if (identity.share !== "fleet" || !("owners" in view)) return undefined;
    const { seen, lost } = view.owners;
    return [...seen.map((cluster) => [cluster, this.uids.get(cluster) ?? ""] as const), ...lost];
  }

  #say(group: Group, view: View, tracked: Tracked): void {
    const { nodeUsers, goneParts } = this.sights;
    const rests = { nodeClusters: nodeUsers.clustersOf(group.id), heldParts: goneParts.held(group.id) };
    const change = changeOf(group, view, tracked, this.known.of(group.id), rests);
    const { stand } = change;
    const word = wordOf(change);
    const upstream = (stand.type === "live" || stand.type === "frozen") && stand.upstream;
    const route = stand.type === "live" && stand.route;
    const news = (upstream && !tracked.told.upstream) || (route && !tracked.told.route);
    if (word === tracked.word && !news) return;
    Object.assign(tracked, { word, told: { upstream, route }, at: undefined });
    this.#changes.push(change);
  }

  #isKeptOfNoUse(group: Group, view: Extract<View, { type: "live" | "frozen" }>): boolean {
    if (view.missing || this.#tracked.get(group.id)?.oversize !== undefined) return false;
    if ([...group.members.values()].some(({ paused }) => paused !== false)) return false;
    return view.type === "live" || (view.owners.lost.length > 0 && view.basis?.from === "settings");
  }

  /** Its object is there and does not declare it: no matter whether this shard saw it taken out. */
  #isDisowned({ identity }: Group): boolean {
    return identity.share === "none" && this.desired.source(identity) !== undefined;
  }
}
