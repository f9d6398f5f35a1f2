import type { ObjectStore, StoreKey } from "../store/object-store.ts";
import type { EndpointSliceProjection, Packed, Projections } from "../store/projection.ts";
import type { Kind, WatchEvent, Wire } from "../watch/events.ts";
import type { DropReason, Kept } from "./kept.ts";
import { projectEndpointSlice } from "./project-endpoint-slice.ts";
import { projectNode } from "./project-node.ts";
import { projectPod } from "./project-pod.ts";
import { SliceChanges, type SliceChange } from "./slice-changes.ts";
import { projectService } from "./project-service.ts";
import type { Projected } from "./project-source.ts";

/** What the filter judges: the other watch events pass it by. */
export type ObjectEvent = Extract<WatchEvent, { readonly type: "apply" | "delete" }>;

export type Verdict =
  /** `vanished`: what of it is to lapse after a while (`Filter.lapse`). */
  | { readonly kept: readonly Kept[]; readonly vanished?: StoreKey }
  /** `reason` says which field is wrong, for `malformed`. */
  | { readonly dropped: DropReason; readonly reason?: string };

export interface FilterOptions {
  readonly store: ObjectStore;
  /** Of each kind: equal projections give equal texts, different ones different texts. */
  readonly packers: { readonly [K in Kind]: (projection: Projections[K]) => Packed };
  readonly unpackSlice: (packed: Packed) => EndpointSliceProjection;
}

/** How each kind is understood. A new kind is a new row. */
const projections: { readonly [K in Kind]: (value: unknown) => Projected<Projections[K]> } = {
  pods: projectPod,
  services: projectService,
  endpointslices: projectEndpointSlice,
  nodes: projectNode,
};

function projector<K extends Kind>(kind: K, packers: FilterOptions["packers"]) {
  return (value: unknown): Projected<Packed> => {
    const projected = projections[kind](value);
    return projected.ok ? { ...projected, projection: packers[kind](projected.projection) } : projected;
  };
}

/**
 * Lets through what some translation could see, and brings the store up to date with it.
 *
 * Guarantees: the store holds exactly the enabled objects that were let through and not deleted since; a malformed object
 * changes nothing of what is held, because unknown is not empty. Compares values that translation reads, so an event that
 * changes none of them goes no further, also when it came twice or was missed and seen again in a relist. The
 * cheapest sieve comes first: equal generations, then equal bytes of what is consumed; only then is anything decoded.
 *
 * Errors: what reading the object throws, with nothing changed.
 */
export class Filter {
  readonly #store: ObjectStore;
  readonly #project: { readonly [K in Kind]: (value: unknown) => Projected<Packed> };
  readonly #slices: SliceChanges;
  readonly #sessions = new Map<string, number>();

  constructor({ store, packers, unpackSlice }: FilterOptions) {
    this.#store = store;
    this.#slices = new SliceChanges({ store, pack: packers.endpointslices, unpack: unpackSlice });
    this.#project = {
      pods: projector("pods", packers),
      services: projector("services", packers),
      endpointslices: projector("endpointslices", packers),
      nodes: projector("nodes", packers),
    };
  }

  offer(event: ObjectEvent): Verdict {
    const session = this.#sessions.get(event.cluster) ?? event.session;
    if (event.session < session) return { dropped: "stale" };
    this.#sessions.set(event.cluster, event.session);
    const { cluster, kind, at } = event;
    const key: StoreKey = { cluster, kind, ...event.key };
    return event.type === "delete" ? this.#remove(key, at, "absent") : this.#apply(key, event.wire, at);
  }

  /** The cluster is not watched any more: its sessions may begin from the first again. */
  forget(cluster: string): void {
    this.#sessions.delete(cluster);
    this.#store.drop(cluster);
  }

  /** Nothing of this kind is held any more. */
  forgetKind(cluster: string, kind: Kind): Kept[] {
    const held = [...this.#store.objects(cluster, kind)];
    return held.flatMap(({ namespace, name }) => {
      const verdict = this.#remove({ cluster, kind, namespace, name }, 0, "unselected");
      return "kept" in verdict ? verdict.kept : [];
    });
  }

  /** What vanished under this key is gone for good, unless it is not held any more. */
  lapse(key: StoreKey): Kept | undefined {
    return this.#slices.lapse(key);
  }

  #apply(key: StoreKey, wire: Wire, at: number): Verdict {
    const { stamp } = wire;
    if (stamp !== undefined && this.#store.isMarked(key, "stamp", stamp)) return { dropped: "generation" };
    const fingerprint = wire.fingerprint();
    const marks = { stamp, fingerprint };
    if (fingerprint !== undefined && this.#store.isMarked(key, "fingerprint", fingerprint)) {
      if (stamp !== undefined) this.#store.remark(key, marks);
      return { dropped: "identical" };
    }
    const projected = this.#project[key.kind](wire.value());
    if (!projected.ok) return { dropped: "malformed", reason: projected.reason };
    if (!projected.enabled) return this.#remove(key, at, "unselected");
    const packed = projected.projection;
    const held = this.#store.get(key);
    if (held !== undefined && held === packed) {
      if (fingerprint !== undefined) this.#store.remark(key, marks);
      return { dropped: "unchanged" };
    }
    const next = this.#store.put(key, packed, marks);
    if (key.kind === "endpointslices") return kept(this.#slices.changed(key, held, next, at, false));
    return { kept: [{ type: "apply", ...key, packed: next, at }] };
  }

  /** An object that stops opting in leaves just as one that was deleted. */
  #remove(key: StoreKey, at: number, otherwise: DropReason): Verdict {
    const held = this.#store.get(key);
    if (held === undefined) return { dropped: otherwise };
    this.#store.delete(key);
    if (key.kind !== "endpointslices") return { kept: [{ type: "delete", ...key, at }] };
    return kept(this.#slices.changed(key, held, undefined, at, otherwise === "absent"));
  }
}

function kept({ kept: changes, vanished }: SliceChange): Verdict {
  return { kept: changes, ...(vanished === undefined ? {} : { vanished }) };
}
