import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { ListWatch, type KubernetesListObject, type KubernetesObject } from "@kubernetes/client-node";
import { consumedFields } from "../../src/filter/consumed.ts";
import { Filter } from "../../src/filter/pass.ts";
import type { Fingerprint } from "../../src/protobuf/fingerprint.ts";
import { ObjectReader, objectReaders, type ObjectReaders } from "../../src/protobuf/object-reader.ts";
import { packers, unpackEndpointSlice } from "../../src/shard/pack.ts";
import { ObjectStore } from "../../src/store/object-store.ts";
import { decoderFor, type FrameReader } from "../../src/watch/decoder.ts";
import { scopedRows } from "../../src/watch/kinds.ts";
import { differs } from "./differs.ts";
import type { BenchKind, Format } from "./events.ts";

/** One way from the bytes of a watch to the events that matter. */
export interface IngestPath {
  readonly format: Format;
  /** Starts over, with nothing held. */
  start(kind: BenchKind): void | Promise<void>;
  /** Events that were let through. */
  take(pieces: readonly Buffer[]): number | Promise<number>;
}

export const pathNames = ["client-node", "json", "protobuf", "ours"] as const;
export type PathName = (typeof pathNames)[number];

export function ingestPath(name: PathName): IngestPath {
  switch (name) {
    case "client-node":
      return new ClientNodePath();
    case "json":
      return new OwnPath("json", readers);
    case "protobuf":
      return new OwnPath("protobuf", neverEqual);
    case "ours":
      return new OwnPath("protobuf", readers);
  }
}

const readers = objectReaders(consumedFields, Math.random);

/** Reads as ours does and is never told anything by a fingerprint: every event is projected and compared. */
class NeverEqual extends ObjectReader {
  #count = 0;

  override fingerprint(): Fingerprint {
    return { low: ++this.#count | 0, high: 1 };
  }

  override stamp(): Fingerprint {
    return this.fingerprint();
  }
}

const neverEqual = objectReaders(consumedFields, Math.random, NeverEqual);

/** The translator's own stages: decoder and filter. */
class OwnPath implements IngestPath {
  readonly format: Format;
  readonly #readers: ObjectReaders;
  #kind: BenchKind = "pods";
  #frames: FrameReader | undefined;
  #filter: Filter | undefined;

  constructor(format: Format, its: ObjectReaders) {
    this.format = format;
    this.#readers = its;
  }

  start(kind: BenchKind): void {
    const [row] = scopedRows(kind, {}, this.#readers);
    const type = this.format === "json" ? "application/json" : "application/vnd.kubernetes.protobuf";
    if (row === undefined) throw new Error(`${kind} are not watched`);
    this.#kind = kind;
    this.#frames = decoderFor(type, row)?.frames(row, 1);
    this.#filter = new Filter({ store: new ObjectStore(), packers, unpackSlice: unpackEndpointSlice });
  }

  take(pieces: readonly Buffer[]): number {
    const [frames, filter, kind] = [this.#frames, this.#filter, this.#kind];
    if (frames === undefined || filter === undefined) throw new Error("not started");
    let kept = 0;
    for (const piece of pieces) {
      for (const frame of frames.push(piece)) {
        if (frame.type !== "apply") throw new Error(`unexpected ${frame.type}`);
        const { key, wire } = frame.item;
        const origin = { cluster: "bench", session: 1, kind, key, at: 0 };
        const verdict = filter.offer({ type: "apply", listed: false, ...origin, wire });
        if ("kept" in verdict) kept++;
      }
    }
    return kept;
  }
}

type Callback = (phase: string, object: KubernetesObject, whole: unknown) => void;

/** client-node's informer as it is; only the socket before it is missing. Its user keeps what it saw last and compares. */
class ClientNodePath implements IngestPath {
  readonly format = "json";
  #callback: Callback = () => {};
  #seen = new Map<string, KubernetesObject>();
  #kept = 0;

  async start(kind: BenchKind): Promise<void> {
    this.#seen = new Map();
    const watch = {
      watch: (_path: string, _query: unknown, callback: Callback) => {
        this.#callback = callback;
        return Promise.resolve(new AbortController());
      },
    };
    const list = (): Promise<KubernetesListObject<KubernetesObject>> =>
      Promise.resolve({ metadata: { resourceVersion: "1" }, items: [] });
    const informer = new ListWatch("/bench", watch as never, list, false);
    const changed = (object: KubernetesObject): void => {
      const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
      const before = this.#seen.get(key);
      this.#seen.set(key, object);
      if (before === undefined || differs[kind](before as never, object as never)) this.#kept++;
    };
    informer.on("add", changed);
    informer.on("update", changed);
    await informer.start();
  }

  /** Lines are cut and parsed as `Watch.watch` does. */
  async take(pieces: readonly Buffer[]): Promise<number> {
    this.#kept = 0;
    const body = new PassThrough();
    const lines = createInterface(body);
    lines.on("line", (line) => {
      const data = JSON.parse(line) as { type: string; object: KubernetesObject };
      this.#callback(data.type, data.object, data);
    });
    const closed = new Promise<void>((resolve) => lines.once("close", resolve));
    for (const piece of pieces)
      if (!body.write(piece)) await new Promise((resolve) => body.once("drain", resolve));
    body.end();
    await closed;
    return this.#kept;
  }
}
