import { normalizeHost } from "../declare/host.ts";
import { maxPairs } from "../declare/read-route-fields.ts";
import { TranslatorError } from "../errors.ts";
import { idPattern, memberClusters, readLabels } from "./identity.ts";
import { isJsonArray, isJsonObject } from "./json-object.ts";
import { uidLabel } from "./labels.ts";
import { nodeCount } from "./node-count.ts";
import type { ListItem } from "./read-list.ts";
import type { Collection } from "./resource-path.ts";
import type { Slices } from "./slices.ts";
import type { Forged, ForeignRoute, Owned, OwnedRoute, OwnedUpstream, Snapshot } from "./snapshot.ts";
import { standingOf } from "./standing-of.ts";
import type { Identity, Json, JsonObject, Resource } from "./types.ts";

/** A foreign route whose hosts, if any, are those of the service that it refers to. */
interface Referring {
  readonly id: string;
  readonly service: string;
  readonly uris: readonly string[];
  readonly createdIndex: number;
}

const forgedText = {
  forged: "it has our ownership labels, but its id is not the hash of its identity labels",
  oversized: `it has our labels and our id, but matches more pairs of host and uri than a declaration may: ${maxPairs}`,
} as const;

const everyHost: readonly string[] = [""];

/** Between two looks at the clock; a millisecond or so. */
const referringAtOnce = 500;

type Found = Omit<Snapshot, "startedAt" | "finishedAt" | "version">;

/** Takes the objects of a snapshot one by one, and keeps of each what later stages need. */
export class SnapshotBuilder {
  readonly #instance: string;
  readonly #owned = new Map<string, Owned>();
  readonly #foreign: ForeignRoute[] = [];
  readonly #referring: Referring[] = [];
  readonly #serviceHosts = new Map<string, readonly string[]>();
  readonly #foreignIds = { upstream: new Set<string>(), route: new Set<string>() };
  readonly #forged: Forged[] = [];
  #routes = 0;
  #strangers = 0;

  constructor(instance: string) {
    this.#instance = instance;
  }

  add(collection: Collection, item: ListItem): void {
    if (collection === "services") this.#addService(item);
    else if (collection === "upstreams") this.#addUpstream(item);
    else this.#addRoute(item);
  }

  /** Call when routes and services have been read. */
  async refer(slices: Slices): Promise<void> {
    for (const [index, { id, service, uris, createdIndex }] of this.#referring.entries()) {
      if (index % referringAtOnce === 0 && slices.isOver) await slices.next();
      // A service that is missing does not keep APISIX from matching the route, then on every host.
      const hosts = this.#serviceHosts.get(service) ?? everyHost;
      this.#foreign.push({ id, hosts, uris, createdIndex });
    }
  }

  /** What has been read until now. Call after `refer`. */
  found(): Found {
    return {
      owned: this.#owned,
      foreign: this.#foreign,
      foreignIds: this.#foreignIds,
      forged: this.#forged,
      routes: this.#routes,
      strangers: this.#strangers,
    };
  }

  #addRoute(item: ListItem): void {
    this.#routes++;
    const identity = this.#identityOf("route", item);
    if (identity === undefined) {
      this.#strangers++;
      this.#addForeign(item);
    } else this.#own(item.id, identity, { route: ownedRoute(item) });
  }

  #addUpstream(item: ListItem): void {
    const identity = this.#identityOf("upstream", item);
    if (identity !== undefined) return this.#own(item.id, identity, { upstream: ownedUpstream(item.value) });
    const beside = this.#owned.get(item.id);
    const named = beside?.identity.share === "fleet" ? memberClusters(item.value) : [];
    if (beside !== undefined && named.length > 0) this.#owned.set(item.id, { ...beside, named });
  }

  #addService({ id, value }: ListItem): void {
    const hosts = hostsOf(value);
    if (hosts.length > 0) this.#serviceHosts.set(id, hosts);
  }

  #addForeign({ id, value, createdIndex }: ListItem): void {
    if (value["status"] === 0) return;
    const hosts = hostsOf(value);
    const uris = urisOf(value);
    const service = value["service_id"];
    if (hosts.length === 0 && service !== undefined) {
      this.#referring.push({ id, service: String(service), uris, createdIndex });
      return;
    }
    this.#foreign.push({ id, hosts: hosts.length === 0 ? everyHost : hosts, uris, createdIndex });
  }

  /** Undefined, and noted where that matters, for what is not ours. */
  #identityOf(resource: Resource, { id, value }: ListItem): Identity | undefined {
    const ownership = readLabels(this.#instance, id, value, this.#owned.get(id)?.identity);
    if (ownership.ours) return ownership.identity;
    if (idPattern.test(id)) this.#foreignIds[resource].add(id);
    if (ownership.why !== "foreign") this.#forged.push({ resource, id, why: forgedText[ownership.why] });
    return undefined;
  }

  #own(id: string, identity: Identity, part: Pick<Owned, Resource>): void {
    const known = this.#owned.get(id);
    for (const resource of ["route", "upstream"] as const) {
      if (part[resource] === undefined || known?.[resource] === undefined) continue;
      throw new TranslatorError("ADMIN_PROTOCOL", `a list names the ${resource} ${id} twice`);
    }
    // The id is the hash of the identity, so both resources have the same.
    this.#owned.set(id, known === undefined ? { identity, ...part } : { ...known, ...part });
  }
}

function ownedRoute({ value, createdIndex }: ListItem): OwnedRoute {
  return { ...standingOf(value), hosts: hostsOf(value), uris: urisOf(value), createdIndex };
}

function ownedUpstream(value: JsonObject): OwnedUpstream {
  const labels = isJsonObject(value["labels"]) ? value["labels"] : {};
  const uid = labels[uidLabel];
  return {
    ...standingOf(value),
    nodes: nodeCount(value),
    uid: typeof uid === "string" ? uid : undefined,
    members: memberClusters(value),
  };
}

/** Normalised as declared hosts are; one that could not be declared is kept in lower case, as APISIX matches it. */
function hostsOf({ host, hosts }: JsonObject): string[] {
  return textsOf(host, hosts).map((text) => {
    const normal = normalizeHost(text);
    return normal.ok ? normal.host : text.toLowerCase();
  });
}

function urisOf({ uri, uris }: JsonObject): string[] {
  return textsOf(uri, uris);
}

/** APISIX takes the list where there are both. */
function textsOf(one: Json | undefined, many: Json | undefined): string[] {
  if (isJsonArray(many)) return many.filter((text) => typeof text === "string");
  return typeof one === "string" ? [one] : [];
}
