import type { Identity } from "../../src/apisix/types.ts";
import type { AdminEntry, AdminStore } from "../../src/sim/admin/admin-store.ts";
import { identityOf, pairsOf } from "./oracle/ownership.ts";
import type { Body } from "./oracle/ownership.ts";

/** What stands in APISIX, read past everything. */
export class GatewayView {
  readonly #store: AdminStore;
  readonly #instance: string;

  constructor(store: AdminStore, instance: string) {
    this.#store = store;
    this.#instance = instance;
  }

  /** Host and uri of all that a route holds, also through its service. */
  pairsOf({ id, value: route }: { readonly id: string; readonly value: Body }): string[] {
    const isOurs = identityOf(this.#instance, id, route) !== undefined;
    const service = route["service_id"];
    const found = service === undefined ? undefined : this.#store.get("services", String(service))?.value;
    return pairsOf(route, isOurs, (found?.["hosts"] ?? []) as string[]);
  }

  routesOn(pair: string): { readonly id: string; readonly ours: boolean; readonly createdIndex: number }[] {
    return this.#store
      .list("routes")
      .filter((entry) => this.pairsOf(entry).includes(pair))
      .map(({ id, value, createdIndex }) => ({
        ...{ id, createdIndex },
        ours: identityOf(this.#instance, id, value) !== undefined,
      }));
  }

  /** Everything in a collection that is ours. */
  owned(collection: "routes" | "upstreams"): (AdminEntry & { readonly identity: Identity })[] {
    return this.#store.list(collection).flatMap((entry) => {
      const identity = identityOf(this.#instance, entry.id, entry.value);
      return identity === undefined ? [] : [{ ...entry, identity }];
    });
  }
}
