import type { Identity, UpstreamNode } from "../apisix/types.ts";
import type { SourceObject } from "../store/projection.ts";
import type { Translation } from "./context.ts";
import type { Group } from "./group.ts";
import { newGroup } from "./group.ts";
import type { Place } from "./keeping.ts";
import { keepsRoute, Keeping } from "./keeping.ts";
import { KeptRoutes } from "./kept-routes.ts";
import type { Member, Source } from "./member.ts";
import { SourceReader } from "./source-reader.ts";
import type { SourceKey } from "./sources.ts";
import { keyOf, Sources } from "./sources.ts";
import type { Standings } from "./standings.ts";

/**
 * The objects of one shard and the groups that they form. Every question is answered by an index: object → members,
 * group → members, namespace → objects whose annotation cannot be read.
 *
 * Each change returns the ids of the groups it may have changed; nothing else is looked at.
 */
export class DesiredState {
  readonly groups = new Map<string, Group>();
  translation: Translation;
  readonly #standings: Standings;
  readonly #sources = new Sources();
  readonly #keeping = new Keeping();
  readonly #kept: KeptRoutes;
  readonly #reader: SourceReader;

  constructor(translation: Translation, standings: Standings) {
    this.translation = translation;
    this.#standings = standings;
    const { groups } = this;
    this.#kept = new KeptRoutes({ standings, keeping: this.#keeping, groups });
    this.#reader = new SourceReader({ groups, kept: this.#kept, translation: () => this.translation });
  }

  source(key: SourceKey): Source | undefined {
    return this.#sources.get(key);
  }

  sources(): Iterable<Source> {
    return this.#sources.all();
  }

  apply(cluster: string, object: SourceObject): Set<string> {
    const held = this.source(keyOf(cluster, object));
    const source = this.#sharing(this.#reader.read(cluster, object, held));
    const touched = this.#replace(held, source);
    this.#sources.put(source);
    this.#keeping.note(source, held?.object.uid !== object.uid);
    return touched;
  }

  remove(key: SourceKey): Set<string> {
    const held = this.source(key);
    if (held === undefined) return new Set();
    this.#sources.delete(key);
    this.#keeping.drop(held);
    return this.#replace(held, undefined);
  }

  /** What feeds a source has changed, not what it declares. Returns its groups. */
  refeed(key: SourceKey): Set<string> {
    return new Set(this.source(key)?.members.map(({ id }) => id));
  }

  /**
   * Reads every declaration again: what it means depends on what has changed. Paused objects stay as they were read, but
   * policy holds for them too: in a group, who is forbidden does not set the spec.
   */
  reread(): Set<string> {
    const touched = new Set<string>();
    for (const held of [...this.#sources.all()]) {
      const source = this.#reader.reread(held);
      if (source === held) continue;
      for (const id of this.#replace(held, source)) touched.add(id);
      this.#sources.put(source);
      this.#keeping.note(source, false);
    }
    return touched;
  }

  /** The cluster is not followed any more. Its objects are out of sight, not gone: no group is declared less for it. */
  lose(cluster: string): Set<string> {
    const touched = new Set<string>();
    for (const source of [...this.#sources.of(cluster)]) {
      const { object, members } = source;
      this.#sources.delete(keyOf(cluster, object));
      this.#keeping.drop(source);
      for (const { id } of members) {
        this.groups.get(id)?.members.delete(source);
        touched.add(id);
      }
    }
    return touched;
  }

  /** Groups with a member in this cluster. */
  groupsOf(cluster: string): Set<string> {
    const ids = new Set<string>();
    for (const { members } of this.#sources.of(cluster)) for (const { id } of members) ids.add(id);
    return ids;
  }

  /** Looks again for routes that annotations of this place keep: what stands has become known. */
  reviewKeeping(place: Place): Set<string> {
    const touched = new Set<string>();
    for (const { cluster, name } of this.#keeping.entries(place)) {
      const held = this.source({ ...place, cluster, name });
      if (held === undefined) continue;
      const source = this.#kept.added(held, held);
      if (source.members.length === held.members.length) continue;
      for (const id of this.#replace(held, source)) touched.add(id);
      this.#sources.put(source);
    }
    return touched;
  }

  /** Whether there is any object in whose annotation something cannot be read. */
  get keepsAnything(): boolean {
    return this.#keeping.isAny;
  }

  /** Whether it is open, until what stands has been read, if an object whose annotation cannot be read belongs to it. */
  isUnclear({ id, identity }: Pick<Group, "id" | "identity">): boolean {
    if (identity.share === "none") return false;
    return this.#keeping.undecided(identity, id).some(({ cluster, name }) => {
      const source = this.source({ ...identity, cluster, name });
      const isMember = source?.members.some((member) => member.id === id) ?? true;
      return source !== undefined && !isMember && keepsRoute(source, identity.route);
    });
  }

  /**
   * Nothing of it stands, so no object that cannot be read belongs to it, and one that is paused gives it nothing, whatever
   * this shard saw before: a new leader could not know. What is written later decides nothing anew. `mayCome`: an upstream
   * that was sent may still come to stand, so what is paused keeps what it gave: a new leader would find it there.
   */
  nothingStands({ id, identity }: Pick<Group, "id" | "identity">, mayCome: boolean): void {
    if (identity.share === "none") return;
    for (const { decided } of this.#keeping.undecided(identity, id)) decided.add(id);
    for (const member of [...(this.groups.get(id)?.members.values() ?? [])]) {
      if (!member.counted) this.#alter(member, undefined);
      else if (member.paused !== false && mayGive(member.paused.nodes, mayCome))
        this.#alter(member, { ...member, paused: { nodes: [] } });
    }
  }

  /** Every group that objects of this place may share and for which that is open. */
  unclear(place: Place): Pick<Group, "id" | "identity">[] {
    const found = new Map<string, Pick<Group, "id" | "identity">>();
    for (const { cluster, name } of this.#keeping.entries(place)) {
      for (const known of this.#standings.shared({ ...place, cluster, name })) found.set(known.id, known);
    }
    return [...found.values()].filter((known) => this.isUnclear(known));
  }

  /** The group of this id, made if it is not there. */
  group(id: string, identity: Identity): Group {
    const held = this.groups.get(id);
    if (held !== undefined) return held;
    const group = newGroup(id, identity);
    this.groups.set(id, group);
    return group;
  }

  /** Puts another in the place of a member, or nothing. */
  #alter(member: Member, other: Member | undefined): void {
    const { id, cluster, object } = member;
    const source = this.source(keyOf(cluster, object));
    if (source === undefined) return;
    const members = source.members.flatMap((each) => (each.id === id ? (other ?? []) : each));
    this.#sources.put({ ...source, members });
    const group = this.groups.get(id);
    if (other === undefined) group?.members.delete(member);
    else group?.members.set(other);
  }

  /** With the ids and identities of groups that are there: as copies they would be kept as long. */
  #sharing(source: Source): Source {
    const members = source.members.map((member) => {
      const group = this.groups.get(member.id);
      if (group === undefined || group.identity === member.identity) return member;
      return { ...member, id: group.id, identity: group.identity };
    });
    return members.every((member, index) => member === source.members[index])
      ? source
      : { ...source, members };
  }

  /** Moves an object's members from what it declared to what it declares. */
  #replace(old: Source | undefined, source: Source | undefined): Set<string> {
    const touched = new Set<string>();
    const declared = new Set(source?.members.map((member) => member.id));
    const given = new Set<string>();
    for (const member of old?.members ?? []) {
      touched.add(member.id);
      if (declared.has(member.id)) continue;
      const group = this.groups.get(member.id);
      group?.members.delete(member);
      if (group === undefined || group.members.size > 0) continue;
      group.undeclared = source !== undefined && source.object.uid === old?.object.uid;
      if (group.undeclared) for (const pair of member.settings?.pairs ?? []) given.add(pair);
    }
    const before = new Set(old?.members.map((member) => member.id));
    for (const member of source?.members ?? []) {
      touched.add(member.id);
      const group = this.group(member.id, member.identity);
      const isNew = group.members.size === 0 && !before.has(member.id);
      // It goes ahead of challengers with what this object gives up, not with what it asks for besides.
      if (isNew && member.settings?.pairs.every((pair) => given.has(pair)) === true) group.inherits = true;
      group.members.set(member);
      group.undeclared = false;
    }
    return touched;
  }
}

function mayGive(nodes: readonly UpstreamNode[] | "unknown", keepsGiven: boolean): boolean {
  return nodes === "unknown" || (nodes.length > 0 && !keepsGiven);
}
