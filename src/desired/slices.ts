import { unpackEndpointSlice } from "../shard/pack.ts";
import { byteText, bytesOfText, type ByteText } from "../store/byte-text.ts";
import type { EndpointSliceProjection } from "../store/projection.ts";

/** Slices of one Service by name. They stay packed: an unpacked one takes several times the memory. */
type SlicesByName = Map<string, ByteText>;

/**
 * The EndpointSlices of one shard by the Service that they belong to: cluster → namespace → Service → slice. A slice that
 * moves to another Service is removed there and put here.
 */
export class Slices {
  readonly #clusters = new Map<string, Map<string, Map<string, SlicesByName>>>();

  /** Copies `packed`, which may be a view of a larger message. */
  put(place: SlicePlace, packed: Uint8Array): void {
    const { cluster, namespace, service, name } = place;
    const namespaces = this.#clusters.get(cluster) ?? new Map<string, Map<string, SlicesByName>>();
    this.#clusters.set(cluster, namespaces);
    const services = namespaces.get(namespace) ?? new Map<string, SlicesByName>();
    namespaces.set(namespace, services);
    const slices = services.get(service) ?? new Map<string, ByteText>();
    services.set(service, slices);
    slices.set(name, byteText(packed));
  }

  remove({ cluster, namespace, service, name }: SlicePlace): void {
    const services = this.#clusters.get(cluster)?.get(namespace);
    const slices = services?.get(service);
    slices?.delete(name);
    if (slices?.size === 0) services?.delete(service);
  }

  /** In no order; empty where none has been seen. */
  of(cluster: string, namespace: string, service: string): EndpointSliceProjection[] {
    const slices = this.#clusters.get(cluster)?.get(namespace)?.get(service);
    return slices === undefined
      ? []
      : Array.from(slices.values(), (text) => unpackEndpointSlice(bytesOfText(text)));
  }

  lose(cluster: string): void {
    this.#clusters.delete(cluster);
  }

  has(cluster: string, namespace: string, service: string): boolean {
    return this.#clusters.get(cluster)?.get(namespace)?.has(service) ?? false;
  }
}

export interface SlicePlace {
  readonly cluster: string;
  readonly namespace: string;
  readonly service: string;
  readonly name: string;
}
