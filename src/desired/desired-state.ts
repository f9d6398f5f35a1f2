import type { Identity } from "../apisix/types.ts";
import type { PodProjection } from "../store/projection.ts";
import { analysePod } from "./analyse-pod.ts";
import type { Translation } from "./context.ts";
import type { Group, Stands } from "./group.ts";
import { newGroup, nodesOf } from "./group.ts";
import { keepsRoute, Keeping } from "./keeping.ts";
import { keptNodes } from "./kept.ts";
import type { Member, Source } from "./member.ts";

/** What is known to stand in APISIX, as translation asks for it. */
export interface Standings {
  of(id: string): Stands;
  /** Groups under `share: none` of one Pod. */
  ofPod(cluster: string, namespace: string, name: string): Iterable<{ id: string; identity: Identity }>;
  /** Groups under `share: cluster` of one namespace. */
  ofNamespace(cluster: string, namespace: string): Iterable<{ id: string; identity: Identity }>;
}

/**
 * The objects of one shard and the groups that they form. Every question is answered by an index: object → members,
 * group → members, namespace → objects whose annotation cannot be read.
 *
 * Each change returns the ids of the groups it may have changed; nothing else is looked at.
 */
export class DesiredState {
  readonly groups = new Map<string, Group>();
  readonly #translation: Translation;
  readonly #standings: Standings;
  /** cluster → namespace → name: nested, since one huge Map ends the process when the heap ends. */
  readonly #sources = new Map<string, Map<string, Map<string, Source>>>();
  readonly #keeping = new Keeping();

  constructor(translation: Translation, standings: Standings) {
    this.#translation = translation;
    this.#standings = standings;
  }

  source(cluster: string, namespace: string, name: string): Source | undefined {
    return this.#sources.get(cluster)?.get(namespace)?.get(name);
  }

  *sources(): Iterable<Source> {
    for (const namespaces of this.#sources.values()) {
      for (const names of namespaces.values()) yield* names.values();
    }
  }

  apply(cluster: string, pod: PodProjection): Set<string> {
    const held = this.source(cluster, pod.namespace, pod.name);
    const old = held?.pod.uid === pod.uid ? held : undefined;
    const source = this.#read(cluster, pod, old);
    const touched = this.#replace(held, source);
    this.#put(source);
    this.#keeping.note(source, old === undefined);
    return touched;
  }

  remove(cluster: string, namespace: string, name: string): Set<string> {
    const held = this.source(cluster, namespace, name);
    if (held === undefined) return new Set();
    this.#sources.get(cluster)?.get(namespace)?.delete(name);
    this.#keeping.drop(held);
    return this.#replace(held, undefined);
  }

  /** Looks again for routes that annotations of this namespace keep: what stands has become known. */
  reviewKeeping(cluster: string, namespace: string): Set<string> {
    const touched = new Set<string>();
    for (const name of this.#keeping.names(cluster, namespace)) {
      const held = this.source(cluster, namespace, name);
      if (held === undefined) continue;
      const source = this.#withKeptRoutes(held, held);
      if (source.members.length === held.members.length) continue;
      for (const id of this.#replace(held, source)) touched.add(id);
      this.#put(source);
    }
    return touched;
  }

  /** Whether there is any object in whose annotation something cannot be read. */
  get keepsAnything(): boolean {
    return this.#keeping.isAny;
  }

  /** Whether it is open, until what stands has been read, if an object whose annotation cannot be read belongs to it. */
  isUnclear({ id, identity }: Pick<Group, "id" | "identity">): boolean {
    const { share, cluster, namespace, route } = identity;
    if (share !== "cluster") return false;
    return this.#keeping.undecided(cluster, namespace, id).some((name) => {
      const source = this.source(cluster, namespace, name);
      const isMember = source?.members.some((member) => member.id === id) ?? true;
      return source !== undefined && !isMember && keepsRoute(source, route);
    });
  }

  /** Nothing of it stands, so no object that cannot be read belongs to it: what is written later decides nothing anew. */
  nothingStands({ id, identity: { share, cluster, namespace } }: Pick<Group, "id" | "identity">): void {
    if (share !== "cluster") return;
    for (const name of this.#keeping.undecided(cluster, namespace, id)) {
      const source = this.source(cluster, namespace, name);
      if (source !== undefined) this.#keeping.decide(source, id);
    }
  }

  /** Every group of this namespace for which that is open. */
  unclear(cluster: string, namespace: string): Pick<Group, "id" | "identity">[] {
    if (this.#keeping.names(cluster, namespace).length === 0) return [];
    return [...this.#standings.ofNamespace(cluster, namespace)].filter((known) => this.isUnclear(known));
  }

  /** The group of this id, made if it is not there. */
  group(id: string, identity: Identity): Group {
    const held = this.groups.get(id);
    if (held !== undefined) return held;
    const group = newGroup(id, identity);
    this.groups.set(id, group);
    return group;
  }

  #read(cluster: string, pod: PodProjection, old: Source | undefined): Source {
    if (old !== undefined && pod.paused) return this.#pausedSource(pod, old);
    if (old !== undefined && !old.pod.paused && declaresAlike(old.pod, pod)) return followed(old, pod);
    const source = analysePod(pod, cluster, this.#translation);
    // Paused before this shard first saw it: what stands is what it had, whatever its annotation says meanwhile.
    return this.#withKeptRoutes(pod.paused && old === undefined ? { ...source, keeps: "all" } : source, old);
  }

  /** Everything stays as it was declared, and the nodes as they were given, when the pause began. */
  #pausedSource(pod: PodProjection, old: Source): Source {
    const members = old.members.map((member): Member => {
      if (member.paused !== false) return { ...member, pod };
      const group = this.groups.get(member.id);
      const nodes = group === undefined ? [] : nodesOf(group, member, undefined, this.#translation);
      return { ...member, pod, paused: { nodes } };
    });
    return { ...old, pod, members };
  }

  /** Adds the routes that it has, or that stand, and that what cannot be read may or may not still declare. */
  #withKeptRoutes(source: Source, old: Source | undefined): Source {
    const { cluster, pod, keeps } = source;
    if (keeps !== "all" && keeps.length === 0) return source;
    const declared = new Set(source.members.map((member) => member.id));
    const kept: Member[] = [];
    const keep = (id: string, identity: Identity): void => {
      if (declared.has(id) || !keepsRoute(source, identity.route)) return;
      declared.add(id);
      kept.push(keptMember(source, id, identity));
    };
    for (const member of old?.members ?? []) keep(member.id, member.identity);
    for (const { id, identity } of this.#standings.ofPod(cluster, pod.namespace, pod.name))
      keep(id, identity);
    for (const { id, identity } of this.#standings.ofNamespace(cluster, pod.namespace)) {
      const standing = this.groups.get(id)?.kept;
      if (standing === undefined) continue;
      const isOpen = this.#keeping.undecided(cluster, pod.namespace, id).includes(pod.name);
      if (isOpen && keptNodes(standing.upstream, cluster, pod.name).length > 0) keep(id, identity);
      this.#keeping.decide(source, id);
    }
    return { ...source, members: [...source.members, ...kept] };
  }

  #put(source: Source): void {
    const { cluster, pod } = source;
    const namespaces = this.#sources.get(cluster) ?? new Map<string, Map<string, Source>>();
    this.#sources.set(cluster, namespaces);
    const names = namespaces.get(pod.namespace) ?? new Map<string, Source>();
    namespaces.set(pod.namespace, names);
    names.set(pod.name, source);
  }

  /** Moves an object's members from what it declared to what it declares. */
  #replace(old: Source | undefined, source: Source | undefined): Set<string> {
    const key = keyOf(source ?? old);
    const touched = new Set<string>();
    const declared = new Set(source?.members.map((member) => member.id));
    const given = new Set<string>();
    for (const member of old?.members ?? []) {
      touched.add(member.id);
      if (declared.has(member.id)) continue;
      const group = this.groups.get(member.id);
      group?.members.delete(key);
      if (group === undefined || group.members.size > 0) continue;
      group.undeclared = source !== undefined && source.pod.uid === old?.pod.uid;
      if (group.undeclared) for (const pair of member.settings?.pairs ?? []) given.add(pair);
    }
    const before = new Set(old?.members.map((member) => member.id));
    for (const member of source?.members ?? []) {
      touched.add(member.id);
      const group = this.group(member.id, member.identity);
      const isNew = group.members.size === 0 && !before.has(member.id);
      // It goes ahead of challengers with what this object gives up, not with what it asks for besides.
      if (isNew && member.settings?.pairs.every((pair) => given.has(pair)) === true) group.inherits = true;
      group.members.set(key, member);
      group.undeclared = false;
    }
    return touched;
  }
}

/** Whether the two can only differ in what chooses nodes: then nothing is parsed again. */
function declaresAlike(a: PodProjection, b: PodProjection): boolean {
  return (
    a.routes === b.routes &&
    a.controller === b.controller &&
    a.paused === b.paused &&
    a.ports.length === b.ports.length &&
    a.ports.every(([name, port], index) => b.ports[index]?.[0] === name && b.ports[index]?.[1] === port)
  );
}

function followed(old: Source, pod: PodProjection): Source {
  return { ...old, pod, members: old.members.map((member) => ({ ...member, pod })) };
}

/** Invalid, and not counted as a declaration: it merely goes on. */
function keptMember(source: Source, id: string, identity: Identity): Member {
  const { cluster, pod, strays, members } = source;
  const invalid = members.find(({ route }) => route === identity.route);
  return {
    id,
    identity,
    cluster,
    pod,
    route: identity.route,
    state: "Invalid",
    reason: invalid?.reason ?? strays[0]?.reason ?? "the annotation cannot be read",
    settings: undefined,
    counted: false,
    paused: pod.paused && { nodes: "unknown" },
  };
}

function keyOf(source: Source | undefined): string {
  return source === undefined ? "" : `${source.cluster}/pod/${source.pod.namespace}/${source.pod.name}`;
}
