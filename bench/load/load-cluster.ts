import type { Values } from "./byte-template.ts";
import type { LoadFormat } from "./load-format.ts";
import type { Shape } from "./load-objects.ts";
import { shapeRows, shapeTemplate, type ShapeTemplate } from "./load-templates.ts";

export interface LoadSize {
  readonly clusters: number;
  readonly servicesPerCluster: number;
  readonly endpointsPerService: number;
  readonly podsPerCluster: number;
  /** Where there are any, one Service more has them for its nodes, so that they are watched. */
  readonly nodesPerCluster: number;
}

export type LoadKind = "services" | "endpointslices" | "pods" | "nodes";

/** Of numbers that no other object has: Services with `via: nodePort` count from here. */
const portServices = 9_000_000;
const firstVersion = 1_000_000_000;
const firstGeneration = 100_000_000;
const namespaces = 20;

/** Templates for all clusters of a load. */
export type Templates = (shape: Shape, format: LoadFormat) => ShapeTemplate;

export function templatesOf({ endpointsPerService }: LoadSize): Templates {
  const made = new Map<string, ShapeTemplate>();
  return (shape, format) => {
    const key = `${shape} ${format.isJson}`;
    const template = made.get(key) ?? shapeTemplate(shape, endpointsPerService, format);
    made.set(key, template);
    return template;
  };
}

/** What one cluster holds: a few numbers an object; everything else about it is the template's. */
export class LoadCluster {
  readonly index: number;
  readonly #size: LoadSize;
  readonly #templates: Templates;
  readonly #versions: Readonly<Record<LoadKind, Uint32Array>>;
  readonly #generations: Uint32Array;
  readonly #missing: Int16Array;
  readonly #priorities: Uint16Array;
  #revision = 0;

  constructor(index: number, size: LoadSize, templates: Templates) {
    this.index = index;
    this.#size = size;
    this.#templates = templates;
    const { servicesPerCluster, podsPerCluster, nodesPerCluster } = size;
    const services = servicesPerCluster + (nodesPerCluster > 0 ? 1 : 0);
    this.#versions = {
      services: new Uint32Array(services),
      endpointslices: new Uint32Array(servicesPerCluster),
      pods: new Uint32Array(podsPerCluster),
      nodes: new Uint32Array(nodesPerCluster),
    };
    this.#generations = new Uint32Array(servicesPerCluster);
    this.#missing = new Int16Array(servicesPerCluster).fill(-1);
    this.#priorities = new Uint16Array(services).fill(1000);
  }

  /** resourceVersion of what was written last. */
  get revision(): number {
    return firstVersion + this.#revision;
  }

  count(kind: LoadKind): number {
    return this.#versions[kind].length;
  }

  /** Only resourceVersion and a time move. */
  touch(kind: LoadKind, index: number): void {
    this.#versions[kind][index] = ++this.#revision;
  }

  /** Another endpoint of the slice is not ready, the one before is again. Returns its place among them. */
  flip(index: number): number {
    const missing = ((this.#missing[index] ?? -1) + 1) % this.#size.endpointsPerService;
    this.#missing[index] = missing;
    this.#generations[index] = (this.#generations[index] ?? 0) + 1;
    this.touch("endpointslices", index);
    return missing;
  }

  /** The route's priority changes. */
  reroute(index: number): void {
    this.#priorities[index] = 1000 + (((this.#priorities[index] ?? 0) + 1) % 1000);
    this.touch("services", index);
  }

  /** Fleet-wide number of a Service, and so of its slice. */
  numberOf(index: number): number {
    return this.index * this.#size.servicesPerCluster + index;
  }

  /** The watch frame that tells of the object as it is now. */
  frame(kind: LoadKind, index: number, format: LoadFormat): Buffer {
    const { frame } = this.#templates(this.#shape(kind, index), format);
    const bytes = Buffer.allocUnsafe(frame.length);
    frame.fill(bytes, 0, this.#values(kind, index));
    return bytes;
  }

  /** Items `from` to `to` of a list, with what stands before and after them. */
  page(kind: LoadKind, from: number, to: number, format: LoadFormat): Buffer {
    const items = Array.from({ length: to - from }, (_, offset) => {
      return this.#templates(this.#shape(kind, from + offset), format).item;
    });
    const lengths = items.map(({ length }) => length);
    const meta = {
      resourceVersion: String(this.revision),
      ...(to < this.count(kind) ? { continue: String(to) } : {}),
    };
    const befores = lengths.map((length, offset) => format.before(length, offset));
    const head = format.head(shapeRows[kind], meta, lengths);
    const whole = [...lengths, ...befores.map(({ length }) => length), head.length, format.tail.length];
    const bytes = Buffer.allocUnsafe(whole.reduce((sum, length) => sum + length, 0));
    bytes.set(head);
    let at = head.length;
    for (const [offset, item] of items.entries()) {
      const before = befores[offset];
      if (before !== undefined) bytes.set(before, at);
      at += before?.length ?? 0;
      item.fill(bytes, at, this.#values(kind, from + offset));
      at += item.length;
    }
    bytes.set(format.tail, at);
    return bytes;
  }

  #shape(kind: LoadKind, index: number): Shape {
    return kind === "services" && index >= this.#size.servicesPerCluster ? "portService" : kind;
  }

  #values(kind: LoadKind, index: number): Values {
    const version = this.#versions[kind][index] ?? 0;
    const number =
      this.#shape(kind, index) === "portService" ? portServices + this.index : this.#number(kind, index);
    return {
      number,
      namespace: number % namespaces,
      version: firstVersion + version,
      address: kind === "endpointslices" ? number * this.#size.endpointsPerService : number,
      generation: firstGeneration + (this.#generations[index] ?? 0),
      missing: kind === "endpointslices" ? (this.#missing[index] ?? -1) : -1,
      priority: kind === "services" ? (this.#priorities[index] ?? 1000) : 1000,
      second: 10 + (version % 50),
    };
  }

  #number(kind: LoadKind, index: number): number {
    const each = kind === "endpointslices" ? this.#size.servicesPerCluster : this.count(kind);
    return kind === "services" ? this.numberOf(index) : this.index * each + index;
  }
}
