import { readList, type ListOptions } from "./read-list.ts";
import type { Collection } from "./resource-path.ts";
import { SnapshotBuilder } from "./snapshot-builder.ts";
import { Slices } from "./slices.ts";
import type { Identity, MemberCluster, Resource, Standing } from "./types.ts";

/** Everything of interest that stands in APISIX, as read between two moments. */
export interface Snapshot {
  /** `Clock.now()`. What changed in between may be in it or not. */
  readonly startedAt: number;
  readonly finishedAt: number;
  /** As `3.18.0`; `""` where the server does not say. */
  readonly version: string;
  /** By id. One of the two resources may be missing, or not be ours. */
  readonly owned: ReadonlyMap<string, Owned>;
  /** Routes that are not ours and match something. */
  readonly foreign: readonly ForeignRoute[];
  /**
   * Ids of the form of ours under which a route, or an upstream, stands that is not: never touched. The other resource
   * under that id may be ours, then it is in `owned` too.
   */
  readonly foreignIds: ForeignIds;
  /** Objects with our ownership labels that cannot be ours: foreign, and reported. */
  readonly forged: readonly Forged[];
  /** All routes in APISIX, whoever's. */
  readonly routes: number;
  /** Of them, those that are not ours. */
  readonly strangers: number;
}

export interface Owned {
  readonly identity: Identity;
  readonly upstream?: OwnedUpstream;
  readonly route?: OwnedRoute;
  /** Of a fleet group's route: clusters that the upstream under its id names, which is not ours. */
  readonly named?: readonly MemberCluster[];
}

export interface OwnedUpstream extends Standing {
  readonly nodes: number;
  /** `translator/uid`; undefined where it is absent. */
  readonly uid: string | undefined;
  /** `translator/member.CLUSTER`: cluster and the uid of its `kube-system`. */
  readonly members: readonly MemberCluster[];
}

export interface OwnedRoute extends Standing {
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  readonly createdIndex: number;
}

/** It matches each of `hosts` with each of `uris`, of which there is no bound. */
export interface ForeignRoute {
  readonly id: string;
  /** The host is `""` where the route matches every host. */
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  readonly createdIndex: number;
}

/** What routes and services say of strangers; of upstreams nothing has been read. */
export type Strangers = Pick<Snapshot, "startedAt" | "foreign"> & {
  /** Ids of the form of ours under which a route stands that is not. */
  readonly routeIds: ReadonlySet<string>;
};

export type ForeignIds = Readonly<Record<Resource, ReadonlySet<string>>>;

export interface Forged {
  readonly resource: Resource;
  readonly id: string;
  readonly why: string;
}

export interface SnapshotOptions extends ListOptions {
  readonly instance: string;
  /** `routes`: without upstreams, for a fresh look at who stands on which pair. */
  readonly only?: "routes";
  /** Told as soon as routes and services have been read: upstreams may be many, and may then fail to be read. */
  readonly onStrangers?: (found: Strangers) => void;
  /** Told of each object that was read, for progress. */
  readonly onObject?: (collection: Collection) => void;
}

/**
 * Reads what stands in APISIX, object by object; the lists are never held whole.
 *
 * Routes come first, then what they refer to. Whoever writes meanwhile writes a service or upstream before the route
 * that refers to it, and deletes in the other order; so a route that is seen finds its service (and with it the hosts
 * that it matches), unless that is gone by now. In the other order a new route's service would be missing, and its pairs
 * would look free.
 *
 * @throws TranslatorError as `readList`; then nothing is known, which is not the same as nothing being there.
 */
export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const { clock, instance, only, onObject, onStrangers } = options;
  const startedAt = clock.now();
  const builder = new SnapshotBuilder(instance);
  let server = "";
  const read = async (collection: Collection): Promise<void> => {
    server = await readList(options, collection, (item) => {
      builder.add(collection, item);
      onObject?.(collection);
    });
  };
  await read("routes");
  await read("services");
  await builder.refer(new Slices(clock));
  const { foreign, foreignIds } = builder.found();
  onStrangers?.({ startedAt, foreign, routeIds: foreignIds.route });
  if (only !== "routes") await read("upstreams");
  return { startedAt, finishedAt: clock.now(), version: versionOf(server), ...builder.found() };
}

/** From `APISIX/3.18.0`; `""` where it is none of APISIX's. */
export function versionOf(server: string): string {
  return /^APISIX\/([0-9][0-9A-Za-z.-]{0,31})$/.exec(server)?.[1] ?? "";
}
