import { unpackEndpointSlice } from "../shard/pack.ts";
import { byteText, type ByteText } from "../store/byte-text.ts";
import type { EndpointSliceProjection } from "../store/projection.ts";

/** One slice. It stays packed: unpacked it takes several times the memory. */
interface Slice {
  readonly name: string;
  readonly text: ByteText;
}

/** The slices of one Service; most have one, for which no Map by name is made. */
type Held = Slice | Map<string, ByteText>;

/**
 * The EndpointSlices of one shard by the Service that they belong to: cluster → namespace → Service → slice. A slice that
 * moves to another Service is removed there and put here.
 */
export class Slices {
  readonly #clusters = new Map<string, Map<string, Map<string, Held>>>();

  /** Copies `packed`, which may be a view of a larger message. */
  put(place: SlicePlace, packed: Uint8Array): void {
    const { cluster, namespace, service, name } = place;
    const namespaces = this.#clusters.get(cluster) ?? new Map<string, Map<string, Held>>();
    this.#clusters.set(cluster, namespaces);
    const services = namespaces.get(namespace) ?? new Map<string, Held>();
    namespaces.set(namespace, services);
    const held = services.get(service);
    const text = byteText(packed);
    if (held instanceof Map) held.set(name, text);
    else if (held === undefined || held.name === name) services.set(service, { name, text });
    else services.set(service, new Map([held, { name, text }].map((slice) => [slice.name, slice.text])));
  }

  remove({ cluster, namespace, service, name }: SlicePlace): void {
    const services = this.#clusters.get(cluster)?.get(namespace);
    const held = services?.get(service);
    if (held instanceof Map) held.delete(name);
    if (held instanceof Map ? held.size === 0 : held?.name === name) services?.delete(service);
  }

  /** In no order; empty where none has been seen. */
  of(cluster: string, namespace: string, service: string): EndpointSliceProjection[] {
    const held = this.#clusters.get(cluster)?.get(namespace)?.get(service);
    if (held === undefined) return [];
    const texts = held instanceof Map ? held.values() : [held.text];
    return Array.from(texts, (text) => unpackEndpointSlice(text));
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
