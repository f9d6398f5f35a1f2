import type { WriteObserver } from "./outcome.ts";
import type { Records } from "./records.ts";

/** Passes on what is told of writes, and tells besides what they repaired and whether any was of a route. */
export class WriteReports implements WriteObserver {
  readonly #observer: WriteObserver;
  readonly #records: Records;
  #hasRoutes = false;

  constructor(observer: WriteObserver, records: Records) {
    this.#observer = observer;
    this.#records = records;
  }

  wrote(write: Parameters<WriteObserver["wrote"]>[0]): void {
    if (write.resource === "route") this.#hasRoutes = true;
    this.#observer.wrote(write);
    const record = this.#records.get(write.id);
    if (write.outcome !== "done" || record?.drift[write.resource] !== true) return;
    record.drift = { ...record.drift, [write.resource]: false };
    this.repaired(write.resource);
  }

  repaired(resource: Parameters<WriteObserver["repaired"]>[0]): void {
    this.#observer.repaired(resource);
  }

  /** Whether a route was written, or tried, since this was last asked. */
  takeRoutes(): boolean {
    const had = this.#hasRoutes;
    this.#hasRoutes = false;
    return had;
  }
}
