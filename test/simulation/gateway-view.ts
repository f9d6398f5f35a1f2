import type { Identity } from "../../src/apisix/types.ts";
import type { AdminEntry } from "../../src/sim/admin/admin-store.ts";
import type { EmbeddedAdmin } from "../../src/sim/admin/embedded-admin.ts";
import { identityOf, pairsOf } from "./oracle/ownership.ts";
import type { Body } from "./oracle/ownership.ts";

/** What stands in APISIX, read and written past everything. */
export class GatewayView {
  /** Ids of objects that a human or a stranger has written or deleted. */
  readonly touched = new Set<string>();
  readonly #admin: EmbeddedAdmin;
  readonly #instance: string;

  constructor(admin: EmbeddedAdmin, instance: string) {
    this.#admin = admin;
    this.#instance = instance;
  }

  /** Writes past everything, as a human or a stranger does. */
  edit(method: string, collection: string, id: string, body?: Body): number {
    this.touched.add(id);
    const path = `/apisix/admin/${collection}/${id}${method === "DELETE" ? "?force=true" : ""}`;
    return this.#admin.handle({ method, path, ...(body === undefined ? {} : { body }) }).status;
  }

  /** Host and uri of all that a route holds, also through its service. */
  pairsOf({ id, value: route }: { readonly id: string; readonly value: Body }): string[] {
    const isOurs = identityOf(this.#instance, id, route) !== undefined;
    const service = route["service_id"];
    const found =
      service === undefined ? undefined : this.#admin.store.get("services", String(service))?.value;
    return pairsOf(route, isOurs, (found?.["hosts"] ?? []) as string[]);
  }

  routesOn(pair: string): { readonly id: string; readonly ours: boolean; readonly createdIndex: number }[] {
    return this.#admin.store
      .list("routes")
      .filter((entry) => this.pairsOf(entry).includes(pair))
      .map(({ id, value, createdIndex }) => ({
        ...{ id, createdIndex },
        ours: identityOf(this.#instance, id, value) !== undefined,
      }));
  }

  /** Everything in a collection that is ours. */
  owned(collection: "routes" | "upstreams"): (AdminEntry & { readonly identity: Identity })[] {
    return this.#admin.store.list(collection).flatMap((entry) => {
      const identity = identityOf(this.#instance, entry.id, entry.value);
      return identity === undefined ? [] : [{ ...entry, identity }];
    });
  }

  /** Uids by which our upstreams name the cluster. */
  uidsOf(cluster: string): string[] {
    const label = `translator/member.${cluster}`;
    const uids = this.owned("upstreams").flatMap(({ value }) => (value["labels"] as Body)[label] ?? []);
    return [...new Set(uids as string[])];
  }
}
