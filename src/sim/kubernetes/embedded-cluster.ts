import type { Cancel, Clock, Random } from "../../runtime.ts";
import { ClusterStore, type ClusterStoreOptions } from "./cluster-store.ts";
import { Faults } from "./faults.ts";
import type { StoreEvent } from "./kind-store.ts";
import { shownObject, type FrameSource } from "./open-watch.ts";
import { isProtobufKind, protobufEncoder } from "./protobuf/protobuf-encoder.ts";
import { resourceRows, type ResourceName, type ResourceRow } from "./resources.ts";
import { Traffic } from "./traffic.ts";
import { jsonEncoder, type WireEncoder } from "./wire-encoder.ts";

export interface EmbeddedClusterOptions extends ClusterStoreOptions {
  readonly name: string;
  /** The only token that is accepted at first. Default `sim-token`. */
  readonly token?: string;
  /** Milliseconds between bookmarks. Default 60,000, as API servers do. */
  readonly bookmarkInterval?: number;
  /** Default true; false: JSON whatever is asked for, as aggregated APIs may. */
  readonly hasProtobuf?: boolean;
}

/** Who may do what; changed while running. */
export interface Access {
  /** Accepted bearer tokens; anything else is 401. */
  readonly tokens: Set<string>;
  /** Kinds that answer 403 to every verb. */
  readonly forbidden: Set<ResourceName>;
}

/** One simulated cluster behind its API: content, faults, access and what was seen. Transports stand on it. */
export class EmbeddedCluster {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Faults;
  readonly traffic = new Traffic();
  readonly access: Access;
  readonly bookmarkInterval: number;
  readonly #hasProtobuf: boolean;
  #store: ClusterStore;
  #unsubscribe: Cancel;

  constructor(options: EmbeddedClusterOptions) {
    this.name = options.name;
    this.clock = options.clock;
    this.random = options.random;
    this.faults = new Faults(options.random);
    this.access = { tokens: new Set([options.token ?? "sim-token"]), forbidden: new Set() };
    this.#hasProtobuf = options.hasProtobuf ?? true;
    this.bookmarkInterval = options.bookmarkInterval ?? 60_000;
    this.#store = new ClusterStore(options);
    this.#unsubscribe = this.#follow(this.#store);
  }

  get store(): ClusterStore {
    return this.#store;
  }

  /** The format in which a request is answered. */
  encoderFor(accept: string, row: ResourceRow): WireEncoder {
    const wantsProtobuf = accept.startsWith(protobufEncoder.contentType);
    return wantsProtobuf && this.#hasProtobuf && isProtobufKind(row) ? protobufEncoder : jsonEncoder;
  }

  /** From now on another cluster answers under this name; open watches break. */
  swapStore(store: ClusterStore): void {
    this.#unsubscribe();
    this.#store = store;
    this.#unsubscribe = this.#follow(store);
    this.#cutWatches();
  }

  #follow(store: ClusterStore): Cancel {
    return store.subscribe({ event: (event) => this.#publish(event), reset: () => this.#cutWatches() });
  }

  #publish(event: StoreEvent): void {
    const watches = this.traffic.openWatches(event.resource).filter((watch) => !watch.silent);
    if (watches.length === 0) return;
    const row: ResourceRow = resourceRows[event.resource];
    const encoded = new Map<string, Uint8Array>();
    const frames: FrameSource = (type, encoder) => {
      const form = `${type} ${encoder.contentType}`;
      const known = encoded.get(form) ?? encoder.frame(type, row, shownObject(type, event));
      encoded.set(form, known);
      return known;
    };
    for (const watch of watches) watch.event(event, frames);
  }

  #cutWatches(): void {
    for (const watch of this.traffic.openWatches()) watch.cut();
  }
}
