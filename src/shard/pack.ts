import { Packr } from "msgpackr/pack";
import { bytesOfText, byteText } from "../store/byte-text.ts";
import type { ByteText } from "../store/byte-text.ts";
import type {
  EndpointSliceProjection,
  NodeProjection,
  Packed,
  PodProjection,
  Projections,
  ServiceProjection,
  SourceObject,
} from "../store/projection.ts";
import type { Kind } from "../watch/events.ts";

/**
 * Projections as bytes, for the store and for the way to a shard: arrays of values in a fixed order, so that equal bytes
 * stand exactly for equal projections.
 */

const projections = new Packr({ useRecords: false, variableMapSize: true });
const bench = Buffer.allocUnsafeSlow(64 * 1024);

function pack(values: readonly unknown[]): Packed {
  projections.useBuffer(bench);
  return byteText(projections.pack(values));
}

/** How each kind is packed. A new kind is a new row. */
export const packers: { readonly [Kind in keyof Projections]: (projection: Projections[Kind]) => Packed } = {
  pods: packPod,
  services: packService,
  endpointslices: packEndpointSlice,
  nodes: packNode,
};

export function packPod(pod: PodProjection): Packed {
  const flags = (pod.terminating ? 1 : 0) | (pod.ready ? 2 : 0) | (pod.paused ? 4 : 0);
  return pack([
    ...[pod.namespace, pod.name, pod.uid, pod.created, flags, pod.phase],
    ...[pod.ips, pod.ports, pod.controller, pod.routes ?? null],
  ]);
}

type PackedPod = readonly [
  namespace: string,
  name: string,
  uid: string,
  created: number,
  flags: number,
  phase: string,
  ips: string[],
  ports: [string, number][],
  controller: string,
  routes: string | null,
];

function unpackPod(bytes: Uint8Array): PodProjection {
  const [namespace, name, uid, created, flags, phase, ips, ports, controller, routes] = projections.unpack(
    bytes,
  ) as PackedPod;
  const marks = { terminating: (flags & 1) !== 0, ready: (flags & 2) !== 0, paused: (flags & 4) !== 0 };
  return {
    kind: "pod",
    ...{ namespace, name, uid, created, phase, ips, ports, controller },
    routes: routes ?? undefined,
    ...marks,
  };
}

function packService(service: ServiceProjection): Packed {
  const flags =
    (service.terminating ? 1 : 0) |
    (service.external ? 2 : 0) |
    (service.paused ? 4 : 0) |
    (service.local ? 8 : 0);
  const ports = service.ports.map(({ name, port, nodePort }) => [name, port, nodePort]);
  return pack([
    ...[service.namespace, service.name, service.uid, service.created, flags],
    ...[ports, service.routes ?? null],
  ]);
}

type PackedService = readonly [
  namespace: string,
  name: string,
  uid: string,
  created: number,
  flags: number,
  ports: [name: string, port: number, nodePort: number][],
  routes: string | null,
];

export function unpackService(bytes: Uint8Array): ServiceProjection {
  const [namespace, name, uid, created, flags, ports, routes] = projections.unpack(bytes) as PackedService;
  const marks = {
    ...{ terminating: (flags & 1) !== 0, external: (flags & 2) !== 0 },
    ...{ paused: (flags & 4) !== 0, local: (flags & 8) !== 0 },
  };
  return {
    kind: "service",
    ...{ namespace, name, uid, created },
    ports: ports.map(([portName, port, nodePort]) => ({ name: portName, port, nodePort })),
    routes: routes ?? undefined,
    ...marks,
  };
}

function packEndpointSlice(slice: EndpointSliceProjection): Packed {
  const flags = (slice.family === "IPv6" ? 1 : 0) | (slice.vanished ? 2 : 0);
  return pack([slice.service, flags, slice.ports, slice.addresses, slice.conditions, slice.nodes]);
}

type PackedEndpointSlice = readonly [
  service: string,
  flags: number,
  ports: [string, number][],
  addresses: Uint8Array,
  conditions: Uint8Array,
  nodes: Uint8Array,
];

/** The columns are views of memory that others share: for work that is done at once. */
export function unpackEndpointSlice(packed: ByteText): EndpointSliceProjection {
  const [service, flags, ports, addresses, conditions, nodes] = projections.unpack(
    bytesOfText(packed),
  ) as PackedEndpointSlice;
  const family = (flags & 1) === 0 ? "IPv4" : "IPv6";
  return { service, family, ports, addresses, conditions, nodes, vanished: (flags & 2) !== 0 };
}

function packNode(node: NodeProjection): Packed {
  return pack([node.internalIPs, node.externalIPs, node.excluded]);
}

export function unpackNode(bytes: Uint8Array): NodeProjection {
  const [internalIPs, externalIPs, excluded] = projections.unpack(bytes) as [string[], string[], boolean];
  return { internalIPs, externalIPs, excluded };
}

/** How each kind that carries declarations is read. */
const sources: Readonly<Partial<Record<Kind, (bytes: Uint8Array) => SourceObject>>> = {
  pods: unpackPod,
  services: unpackService,
};

/** The object that these bytes are. Errors: RangeError for a kind that carries no declarations. */
export function unpackSource(kind: Kind, bytes: Uint8Array): SourceObject {
  const unpack = sources[kind];
  if (unpack === undefined) throw new RangeError(`${kind} carry no declarations`);
  return unpack(bytes);
}
