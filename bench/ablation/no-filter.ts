import { Filter as Real, type FilterOptions, type ObjectEvent, type Verdict } from "../../src/filter/pass.ts";
import type { ObjectStore } from "../../src/store/object-store.ts";

/** In the place of the filter: whatever comes is decoded, and goes on as if it had never been seen. */
export class Filter extends Real {
  readonly #store: ObjectStore;

  constructor(options: FilterOptions) {
    super(options);
    this.#store = options.store;
  }

  override offer(event: ObjectEvent): Verdict {
    if (event.type === "delete") return super.offer(event);
    const { cluster, kind, key, wire } = event;
    this.#store.delete({ cluster, kind, ...key });
    return super.offer({
      ...event,
      wire: { value: () => wire.value(), stamp: undefined, fingerprint: () => undefined },
    });
  }
}
