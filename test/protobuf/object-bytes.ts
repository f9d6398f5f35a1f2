import { int, join, nothing, part, text } from "./wire-parts.ts";

/**
 * Objects of the watched kinds in protobuf, written by hand from the API's field numbers: nothing of this is shared with
 * what reads them. Takes the JSON of an object with the fields that are consumed, and some that are not.
 */

/** What the arbitrary objects have. Values that are absent stand at zero where the API has no pointer. */
export interface MetadataJson {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly controller?: boolean;
  }[];
  readonly managedFields?: readonly { readonly manager: string }[];
}

interface ContainerJson {
  readonly name: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly containerPort?: number;
    readonly protocol?: string;
  }[];
}

export interface PodJson {
  readonly metadata: MetadataJson;
  readonly spec: {
    readonly containers: readonly ContainerJson[];
    readonly initContainers?: readonly ContainerJson[];
    readonly nodeName?: string;
  };
  readonly status: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
  };
}

export interface ServiceJson {
  readonly metadata: MetadataJson;
  readonly spec: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly externalTrafficPolicy?: string;
    readonly ports?: readonly {
      readonly name?: string;
      readonly protocol?: string;
      readonly port?: number;
      readonly nodePort?: number;
    }[];
  };
}

export interface SliceJson {
  readonly metadata: MetadataJson;
  readonly addressType?: string;
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: {
      readonly ready?: boolean;
      readonly serving?: boolean;
      readonly terminating?: boolean;
    };
    readonly nodeName?: string;
    readonly zone?: string;
  }[];
  readonly ports?: readonly { readonly name?: string; readonly protocol?: string; readonly port?: number }[];
}

export interface NodeJson {
  readonly metadata: MetadataJson;
  readonly status: { readonly addresses?: readonly { readonly type: string; readonly address: string }[] };
}

export function podBytes({ metadata, spec, status }: PodJson): Buffer {
  return join(
    part(1, metadataBytes(metadata)),
    part(
      2,
      join(
        each(2, spec.containers, containerBytes),
        text(10, spec.nodeName ?? ""),
        each(20, spec.initContainers, containerBytes),
      ),
    ),
    part(
      3,
      join(
        text(1, status.phase ?? ""),
        each(2, status.conditions, ({ type, status: value }) => join(text(1, type), text(2, value))),
        text(6, status.podIP ?? ""),
        each(12, status.podIPs, ({ ip }) => text(1, ip ?? "")),
      ),
    ),
  );
}

export function serviceBytes({ metadata, spec }: ServiceJson): Buffer {
  const ports = each(1, spec.ports, ({ name, protocol, port, nodePort }) =>
    join(text(1, name ?? ""), text(2, protocol ?? ""), int(3, port ?? 0), int(5, nodePort ?? 0)),
  );
  const rest = join(
    text(3, spec.clusterIP ?? ""),
    text(4, spec.type ?? ""),
    text(11, spec.externalTrafficPolicy ?? ""),
  );
  return join(part(1, metadataBytes(metadata)), part(2, join(ports, rest)));
}

export function sliceBytes({ metadata, addressType, endpoints, ports }: SliceJson): Buffer {
  return join(
    part(1, metadataBytes(metadata)),
    each(2, endpoints, ({ addresses, conditions = {}, nodeName, zone }) =>
      join(
        ...addresses.map((address) => text(1, address)),
        part(
          2,
          join(
            maybeFlag(1, conditions.ready),
            maybeFlag(2, conditions.serving),
            maybeFlag(3, conditions.terminating),
          ),
        ),
        maybeText(6, nodeName),
        maybeText(7, zone),
      ),
    ),
    each(3, ports, ({ name, protocol, port }) =>
      join(maybeText(1, name), maybeText(2, protocol), port === undefined ? nothing : int(3, port)),
    ),
    text(4, addressType ?? ""),
  );
}

export function nodeBytes({ metadata, status }: NodeJson): Buffer {
  const addresses = each(5, status.addresses, ({ type, address }) => join(text(1, type), text(2, address)));
  return join(part(1, metadataBytes(metadata)), part(3, addresses));
}

function metadataBytes(metadata: MetadataJson): Buffer {
  return join(
    text(1, metadata.name ?? ""),
    text(3, metadata.namespace ?? ""),
    text(5, metadata.uid ?? ""),
    text(6, metadata.resourceVersion ?? ""),
    int(7, metadata.generation ?? 0),
    part(8, timeBytes(metadata.creationTimestamp ?? undefined)),
    metadata.deletionTimestamp === undefined ? nothing : part(9, timeBytes(metadata.deletionTimestamp)),
    ...map(11, metadata.labels),
    ...map(12, metadata.annotations),
    each(13, metadata.ownerReferences, ({ kind, name, controller }) =>
      join(text(1, kind), text(3, name), maybeFlag(6, controller)),
    ),
    each(17, metadata.managedFields, ({ manager }) => text(1, manager)),
  );
}

function containerBytes({ name, image, ports, restartPolicy }: ContainerJson): Buffer {
  const written = each(6, ports, (port) =>
    join(text(1, port.name ?? ""), int(2, 0), int(3, port.containerPort ?? 0), text(4, port.protocol ?? "")),
  );
  return join(text(1, name), text(2, image ?? ""), written, maybeText(24, restartPolicy));
}

const maybeText = (number: number, value: string | undefined): Buffer =>
  value === undefined ? nothing : text(number, value);
const maybeFlag = (number: number, value: boolean | undefined): Buffer =>
  value === undefined ? nothing : int(number, value ? 1 : 0);

function each<T>(number: number, items: readonly T[] | undefined, bytesOf: (item: T) => Buffer): Buffer {
  return join(...(items ?? []).map((item) => part(number, bytesOf(item))));
}

function map(number: number, entries: Readonly<Record<string, string>> = {}): Buffer[] {
  return Object.entries(entries).map(([key, value]) => part(number, join(text(1, key), text(2, value))));
}

/** The zero time has no fields. */
function timeBytes(value: string | undefined): Buffer {
  return value === undefined ? nothing : join(int(1, Math.floor(Date.parse(value) / 1000)), int(2, 0));
}
