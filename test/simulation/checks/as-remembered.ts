import type { KubeObject } from "../../../src/sim/kubernetes/kube-object.ts";
import { declaredBy } from "../oracle/declared.ts";
import type { Declared } from "../oracle/declared.ts";
import { expectedOf } from "../oracle/expected.ts";
import { idOf } from "../oracle/ownership.ts";
import type { Meaning, TruthHistory } from "../truth-history.ts";
import { lastKnown } from "./pause-memory.ts";
import type { Heard } from "./pause-memory.ts";

interface HeardSince extends Heard {
  readonly history: Pick<TruthHistory, "since" | "underPolicy">;
}

/** A paused source as it was when it may have been heard of last before its pause. */
interface Former {
  readonly from: number;
  readonly object: KubeObject;
  readonly meaning: Meaning;
}

/**
 * What the objects of each moment from `from` to now mean to who goes on with a paused one as what it was when last heard
 * of: an edit may be heard of together with the pause that follows it, and then counts once that ends. Only where such an
 * edit is of, or to, the group.
 */
export function* asRemembered(
  id: string,
  cluster: string,
  from: number,
  heard: HeardSince,
): Generator<Meaning> {
  const { history } = heard;
  for (const meanings of [history.since(cluster, from), history.underPolicy(cluster, from)])
    for (const meaning of meanings) yield* remembered(id, cluster, meaning, heard);
}

function* remembered(id: string, cluster: string, meaning: Meaning, heard: Heard): Generator<Meaning> {
  const [own] = meaning.truth.clusters;
  if (own === undefined) return;
  const formers = new Map<KubeObject, Former[]>();
  for (const object of [...own.pods, ...own.services]) {
    const found = formersOf(id, object, cluster, meaning, heard);
    if (found.length > 0) formers.set(object, found);
  }
  for (const were of asTheyWere(formers)) {
    const as = (object: KubeObject): KubeObject => asIt(object, were.get(object)?.object);
    const clusters = [{ ...own, pods: own.pods.map(as), services: own.services.map(as) }];
    const truth = { ...meaning.truth, clusters };
    yield { ...meaning, truth, groups: expectedOf(truth), kept: keptOf(id, meaning, were) };
  }
}

/** Several are what they were at one moment, for they are heard of together. */
function* asTheyWere(
  formers: ReadonlyMap<KubeObject, readonly Former[]>,
): Generator<Map<KubeObject, Former>> {
  const seen = new Set<string>();
  for (const at of new Set([...formers.values()].flat().map(({ from }) => from))) {
    const were = new Map<KubeObject, Former>();
    for (const [object, all] of formers) {
      const former = all.find(({ from }) => from <= at);
      if (former !== undefined) were.set(object, former);
    }
    const said = JSON.stringify([...were].map(([now, { object }]) => [now.metadata.uid, saying(object)]));
    if (!seen.has(said)) yield were;
    seen.add(said);
  }
}

/** Newest first; none unless the object is paused and one of them, or what it is now, has to do with the group. */
function formersOf(
  id: string,
  object: KubeObject,
  cluster: string,
  meaning: Meaning,
  heard: Heard,
): Former[] {
  const { policy } = meaning.truth;
  const now = declaredBy(object, cluster, policy);
  if (now?.pod.paused !== true) return [];
  const formers: Former[] = [];
  for (const known of lastKnown(now.pod, heard, meaning.from)) {
    const [own] = known.truth.clusters;
    const was = [...(own?.pods ?? []), ...(own?.services ?? [])].find((each) => isOf(each, object));
    const declared = was && declaredBy(was, cluster, policy);
    if (was === undefined || declared === undefined || declared.pod.paused) continue;
    formers.push({ from: known.from, object: was, meaning: known });
  }
  const isOfGroup = (declared: Declared | undefined, { kept }: Meaning): boolean =>
    declared?.entries.some(({ identity }) => idOf(meaning.truth.instance, identity) === id) === true ||
    kept.get(id)?.some(({ uid }) => uid === now.pod.uid) === true;
  const isConcerned =
    isOfGroup(now, meaning) ||
    formers.some((former) => isOfGroup(declaredBy(former.object, cluster, policy), former.meaning));
  const isEdited = formers.some((former) => saying(former.object) !== saying(object));
  return isConcerned && isEdited ? formers : [];
}

function isOf(a: KubeObject, b: KubeObject): boolean {
  return a.metadata.uid === b.metadata.uid;
}

const routes = "apisix-translator.io/routes";

function saying({ metadata, spec }: KubeObject): string {
  return JSON.stringify([metadata.annotations?.[routes], spec]);
}

/** Its declarations, and the ports that they mean, as they were; all else as it is. */
function asIt(now: KubeObject, was: KubeObject | undefined): KubeObject {
  if (was === undefined) return now;
  const { [routes]: _edited, ...others } = now.metadata.annotations ?? {};
  const text = was.metadata.annotations?.[routes];
  const annotations = text === undefined ? others : { ...others, [routes]: text };
  const spec = was.spec === undefined ? {} : { spec: was.spec };
  return { ...now, ...spec, metadata: { ...now.metadata, annotations } };
}

/** What cannot be read now, and could when it was heard of last, keeps nothing by that; and the other way round. */
function keptOf(id: string, { kept }: Meaning, were: ReadonlyMap<KubeObject, Former>): Meaning["kept"] {
  const uids = new Set([...were.keys()].map(({ metadata }) => metadata.uid));
  const others = (kept.get(id) ?? []).filter(({ uid }) => !uids.has(uid));
  const formers = [...were].flatMap(([{ metadata }, { meaning }]) =>
    (meaning.kept.get(id) ?? []).filter(({ uid }) => uid === metadata.uid),
  );
  return new Map([[id, [...others, ...formers]]]);
}
