import { idPattern } from "./identity.ts";
import type { Resource } from "./types.ts";

export type Collection = "routes" | "services" | "upstreams";

const collections: Readonly<Record<Resource, Collection>> = { route: "routes", upstream: "upstreams" };

const root = "/apisix/admin";

export function listPath(collection: Collection): string {
  return `${root}/${collection}`;
}

/**
 * Path of one of our objects. Only ids of our form: `a/b` would silently write `a`, and a single GET is a prefix range
 * (FACTS-APISIX.md).
 *
 * @throws RangeError for any other id.
 */
export function objectPath(resource: Resource, id: string): string {
  if (!idPattern.test(id)) throw new RangeError(`not an id of ours: ${JSON.stringify(id)}`);
  return `${root}/${collections[resource]}/${id}`;
}

/** Where APISIX, from 3.17 on, says whether it would accept bodies. */
export const checkPath = `${root}/configs/validate`;

/** What is asked there about one body, given as JSON text. */
export function checkOf(resource: Resource, body: string): string {
  return `{"${collections[resource]}":[${body}]}`;
}

/** The id in an etcd key as `/apisix/routes/t-12`, whatever etcd prefix APISIX has; undefined for another collection's. */
export function idOfKey(key: unknown, collection: Collection): string | undefined {
  if (typeof key !== "string") return undefined;
  const slash = key.lastIndexOf("/");
  const id = key.slice(slash + 1);
  return id !== "" && key.slice(0, slash).endsWith(`/${collection}`) ? id : undefined;
}

export function collectionOf(resource: Resource): Collection {
  return collections[resource];
}
