import type { Verb } from "./api-path.ts";
import type { OpenWatch } from "./open-watch.ts";
import type { ResourceName } from "./resources.ts";

export interface RequestSeen {
  /** `clock.now()` when it arrived. */
  readonly at: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly verb?: Verb;
  readonly resource?: ResourceName;
}

/** Requests kept in `requests`; `requestCount` counts all. */
const keptRequests = 10_000;

/** What tests and the demo see of a server from outside: requests, open watches, and conditions to await. */
export class Traffic {
  readonly requests: RequestSeen[] = [];
  requestCount = 0;
  readonly #watches = new Set<OpenWatch>();
  readonly #waiting = new Set<{ readonly holds: () => boolean; readonly resolve: () => void }>();

  /** Watches that were answered and sent what stood, of one kind or of all. */
  openWatches(resource?: ResourceName): OpenWatch[] {
    return [...this.#watches].filter((watch) => resource === undefined || watch.resource === resource);
  }

  /** Resolves once at least `count` watches of the kind are open. */
  whenWatching(resource: ResourceName, count = 1): Promise<void> {
    return this.until(() => this.openWatches(resource).length >= count);
  }

  /** Resolves once `holds`, which is asked after every request and every opened or closed watch. */
  until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ holds, resolve }));
  }

  requestArrived(request: RequestSeen): void {
    this.requestCount += 1;
    this.requests.push(request);
    if (this.requests.length > keptRequests * 2) this.requests.splice(0, keptRequests);
    this.#changed();
  }

  watchOpened(watch: OpenWatch): void {
    this.#watches.add(watch);
    this.#changed();
  }

  watchClosed(watch: OpenWatch): void {
    this.#watches.delete(watch);
    this.#changed();
  }

  #changed(): void {
    for (const waiter of this.#waiting) {
      if (!waiter.holds()) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }
}
