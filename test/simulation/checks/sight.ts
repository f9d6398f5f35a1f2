import type { Identity } from "../../../src/apisix/types.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import { nodesOf } from "../oracle/ownership.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Basis } from "../wire/heard-lists.ts";
import { candidatesOf } from "../wire/knowledge.ts";
import type { World } from "../world.ts";

export interface Purge {
  readonly at: number;
  /** By which uids of the cluster what stood named it then. */
  readonly uids: readonly string[];
}

/** A half-open watch is noticed within 60 s; 30 s without one make a kind degraded. */
const surelyDegraded = 95_000;
/** From an answer that a list failed until nothing is sent any more that rests on it. */
const toldWithin = 1000;

/** Why nothing may rest on what a cluster holds, when the request was sent; undefined: it was listed and can be seen. */
export function whyUnseen(
  world: World,
  name: string,
  request: SentRequest,
  basis: Basis,
): string | undefined {
  const cluster = world.clusters.get(name);
  const { sentAt } = request;
  if (cluster === undefined) return `there is no cluster ${name}`;
  if (world.processOf(request).lists.since(name, basis, sentAt) === undefined)
    return "its cluster was not listed completely in this term";
  const brokenSince = world.processOf(request).lists.brokenSince(name, basis, sentAt);
  if (brokenSince !== undefined && sentAt - brokenSince > toldWithin)
    return `a list of its cluster failed ${((sentAt - brokenSince) / 1000).toFixed(1)} s ago, and none was heard to its end since`;
  if (cluster.silentSince !== undefined && sentAt - cluster.silentSince > surelyDegraded)
    return `its cluster has been out of sight for ${((sentAt - cluster.silentSince) / 1000).toFixed(0)} s`;
  return undefined;
}

/** The write was given up, or its process leads no more. */
export function isLate(request: SentRequest): boolean {
  return request.endedAt !== undefined || request.isOrphan();
}

/** Clusters that have a part in a fleet group, as the labels of its upstream say. */
export function memberClusters(upstream: Readonly<Record<string, unknown>>): string[] {
  const prefix = "translator/member.";
  return Object.keys(upstream["labels"] ?? {})
    .filter((label) => label.startsWith(prefix))
    .map((label) => label.slice(prefix.length));
}

/** One of an upstream's nodes. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * A write that was given up, or whose process leads no more, is applied in whatever comes to stand meanwhile. Of a cluster
 * that is known to have had no part in the fleet group's upstream when it was sent, or not this node, it was not sent to
 * take anything. Where it was open whether a write before it was applied, that has to be so of either.
 */
export function cameLater(
  cluster: string,
  identity: Identity,
  request: SentRequest,
  node?: Address,
): boolean {
  if (!isLate(request) || identity.share !== "fleet") return false;
  const isNode = ({ host, port }: Address): boolean => host === node?.host && port === node.port;
  const isWithout = (body: Body): boolean =>
    !memberClusters(body).includes(cluster) || (node !== undefined && !nodesOf(body).some(isNode));
  const candidates = candidatesOf(request.knownUpstream);
  return (
    candidates?.every((body) => (body === undefined ? request.method === "PUT" : isWithout(body))) === true
  );
}

/**
 * Clusters by whose objects a write of what stands is judged: those with a part in it. A late one is judged by those that
 * had a part, or may have had, when it was sent: also by one that has left the fleet group since.
 */
export function partsOf(identity: Identity, upstream: Body, request: SentRequest): string[] {
  if (identity.share !== "fleet") return [identity.cluster];
  const before = isLate(request) ? (candidatesOf(request.knownUpstream) ?? []) : [];
  const members = [upstream, ...before].flatMap((body) => memberClusters(body ?? {}));
  return [...new Set(members)].filter((cluster) => !cameLater(cluster, identity, request));
}

/**
 * A write is not blamed for what its process cannot have known: what came to stand after it was sent, where it is late, or what
 * somebody edited after the last look. It keeps what stood: something is known to have stood, and `judged` says the same of
 * whatever that may have been as of what was sent.
 */
export function keptWhatStood(request: SentRequest, sent: Body, judged: (body: Body) => string): boolean {
  const isSame = (body: Body | undefined): boolean => body !== undefined && judged(body) === judged(sent);
  return candidatesOf(request.known)?.every(isSame) === true;
}

/**
 * Whether the cluster had the weight 0 when the request was sent, whenever it is applied: what is drained need not be seen,
 * and gives no nodes.
 */
export function isDrained({ history }: World, cluster: string, { sentAt }: SentRequest): boolean {
  return history.at(cluster, sentAt)?.truth.clusters[0]?.weight === 0;
}

/**
 * Whether the process was told that the cluster is gone for good, and it had not come back when the request was sent: then
 * everything of it may go. What comes back under its name as another one than what stood said, and is refused for that, is
 * not the one that was purged: nothing of it is believed before that is gone.
 */
export function isPurged(world: World, cluster: string, request: SentRequest, basis: Basis): boolean {
  const process = world.processOf(request);
  const listed = process.lists.since(cluster, basis, request.sentAt) ?? -Infinity;
  const answering = world.clusters.get(cluster)?.store.uid;
  const isGone = ({ at, uids }: Purge): boolean =>
    at > listed || (uids.some((uid) => uid !== answering) && process.refuses(cluster));
  return process.purged.get(cluster)?.some((purge) => purge.at <= request.sentAt && isGone(purge)) === true;
}
