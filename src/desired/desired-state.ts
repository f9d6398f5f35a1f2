import type { Identity } from "../apisix/types.ts";
import type { PodProjection } from "../store/projection.ts";
import { analysePod } from "./analyse-pod.ts";
import type { Translation } from "./context.ts";
import type { Group, Stands } from "./group.ts";
import { newGroup, nodesOf } from "./group.ts";
import { allKeptNodes } from "./kept.ts";
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
  /** cluster/namespace → names of Pods that keep all their routes. */
  readonly #keeping = new Map<string, Set<string>>();

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
    return touched;
  }

  remove(cluster: string, namespace: string, name: string): Set<string> {
    const held = this.source(cluster, namespace, name);
    if (held === undefined) return new Set();
    this.#sources.get(cluster)?.get(namespace)?.delete(name);
    this.#markKeeping(held, false);
    return this.#replace(held, undefined);
  }

  /** Looks again for routes that unreadable annotations of this namespace keep: what stands has become known. */
  reviewKeeping(cluster: string, namespace: string): Set<string> {
    const touched = new Set<string>();
    for (const name of this.#keeping.get(`${cluster}/${namespace}`) ?? []) {
      const held = this.source(cluster, namespace, name);
      if (held === undefined) continue;
      const source = this.#withKeptRoutes(held, held);
      for (const id of this.#replace(held, source)) touched.add(id);
      this.#put(source);
    }
    return touched;
  }

  /** Groups of this namespace whose members an unreadable annotation leaves open, until what stands has been read. */
  *unclear(cluster: string, namespace: string): Iterable<{ id: string; identity: Identity }> {
    if ((this.#keeping.get(`${cluster}/${namespace}`)?.size ?? 0) === 0) return;
    for (const known of this.#standings.ofNamespace(cluster, namespace)) {
      if (this.groups.get(known.id)?.kept === undefined) yield known;
    }
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
    const before = { source: old, stands: (id: string) => anyStands(this.#standings.of(id)) };
    const source = analysePod(pod, cluster, this.#translation, before);
    return source.keepsAll ? this.#withKeptRoutes(source, old) : source;
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

  /** Adds the routes that stand and that an annotation which cannot be read may or may not still declare. */
  #withKeptRoutes(source: Source, old: Source | undefined): Source {
    const { cluster, pod } = source;
    const declared = new Set(source.members.map((member) => member.id));
    const kept: Member[] = [];
    const keep = (id: string, identity: Identity, last: Member | undefined): void => {
      if (declared.has(id)) return;
      declared.add(id);
      const reason = source.strays[0]?.reason ?? "the annotation cannot be read";
      kept.push({
        ...{
          id,
          identity,
          cluster,
          pod,
          route: identity.route,
          state: "Invalid",
          reason,
          settings: undefined,
        },
        ...{ lastSelection: last?.lastSelection, counted: false, paused: pod.paused && { nodes: "unknown" } },
      });
    };
    for (const member of old?.members ?? []) keep(member.id, member.identity, member);
    for (const known of this.#standings.ofPod(cluster, pod.namespace, pod.name))
      keep(known.id, known.identity, undefined);
    for (const known of this.#standings.ofNamespace(cluster, pod.namespace)) {
      const nodes = allKeptNodes(this.groups.get(known.id)?.kept?.upstream ?? null);
      const ours = nodes.some(({ metadata }) => metadata?.cluster === cluster && metadata.name === pod.name);
      if (ours) keep(known.id, known.identity, undefined);
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
    this.#markKeeping(source, source.keepsAll);
  }

  #markKeeping(source: Source, keeps: boolean): void {
    const key = `${source.cluster}/${source.pod.namespace}`;
    const names = this.#keeping.get(key) ?? new Set<string>();
    if (keeps) names.add(source.pod.name);
    else names.delete(source.pod.name);
    if (names.size === 0) this.#keeping.delete(key);
    else this.#keeping.set(key, names);
  }

  /** Moves an object's members from what it declared to what it declares. */
  #replace(old: Source | undefined, source: Source | undefined): Set<string> {
    const key = keyOf(source ?? old);
    const touched = new Set<string>();
    const declared = new Set(source?.members.map((member) => member.id));
    let leftEmpty = false;
    for (const member of old?.members ?? []) {
      touched.add(member.id);
      if (declared.has(member.id)) continue;
      const group = this.groups.get(member.id);
      group?.members.delete(key);
      if (group === undefined || group.members.size > 0) continue;
      group.undeclared = source !== undefined && source.pod.uid === old?.pod.uid;
      leftEmpty ||= group.undeclared;
    }
    const before = new Set(old?.members.map((member) => member.id));
    for (const member of source?.members ?? []) {
      touched.add(member.id);
      const group = this.group(member.id, member.identity);
      if (leftEmpty && group.members.size === 0 && !before.has(member.id)) group.inherits = true;
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

function anyStands(stands: Stands): boolean {
  return stands.upstream || stands.route;
}

function keyOf(source: Source | undefined): string {
  return source === undefined ? "" : `${source.cluster}/pod/${source.pod.namespace}/${source.pod.name}`;
}
