import type { Faults, FrameFault } from "./faults.ts";
import { kubeStatus } from "./kube-status.ts";
import type { KubeObject } from "./kube-object.ts";
import type { StoreEvent } from "./kind-store.ts";
import type { ResponseSink } from "./response-sink.ts";
import { resourceRows, type ResourceName } from "./resources.ts";
import type { ObjectFilter } from "./selector.ts";
import type { FrameType, WireEncoder } from "./wire-encoder.ts";

/** Bytes that may wait for a slow reader; beyond, the watch is broken off, as API servers do. */
const maxWaiting = 256 * 1024 * 1024;

/** Encodes one event at most once per type and format, whoever asks. */
export type FrameSource = (type: FrameType, encoder: WireEncoder) => Uint8Array;

/**
 * The object that an event shows as `type`: what leaves a selector is shown in its state *before*, carrying the new
 * resourceVersion.
 */
export function shownObject(type: FrameType, event: StoreEvent): KubeObject {
  if (type !== "DELETED" || event.type === "DELETED" || event.previous === undefined) return event.object;
  const metadata = { ...event.previous.metadata, resourceVersion: String(event.revision) };
  return { ...event.previous, metadata };
}

/**
 * One answered watch. All that it sends passes the frame faults. `cut`, `end`, `silence` and `fail` are for whoever
 * plays the network or the server's moods.
 */
export class OpenWatch {
  readonly resource: ResourceName;
  readonly path: string;
  readonly #filter: ObjectFilter;
  readonly #sink: ResponseSink;
  readonly #encoder: WireEncoder;
  readonly #faults: Faults;
  #silent = false;
  #over = false;

  constructor(parts: {
    readonly resource: ResourceName;
    readonly path: string;
    readonly filter: ObjectFilter;
    readonly sink: ResponseSink;
    readonly encoder: WireEncoder;
    readonly faults: Faults;
  }) {
    this.resource = parts.resource;
    this.path = parts.path;
    this.#filter = parts.filter;
    this.#sink = parts.sink;
    this.#encoder = parts.encoder;
    this.#faults = parts.faults;
    this.#sink.onClose(() => {
      this.#over = true;
    });
  }

  get silent(): boolean {
    return this.#silent;
  }

  /** Sends what the event is to this watch: leaving the selector is DELETED with the state before, entering is ADDED. */
  event(event: StoreEvent, frames: FrameSource): void {
    const type = this.#typeFor(event);
    if (type !== undefined) this.#send(frames(type, this.#encoder));
  }

  bookmark(revision: number, annotations?: Readonly<Record<string, string>>): void {
    this.#send(this.#encoder.bookmark(resourceRows[this.resource], revision, annotations));
  }

  frame(bytes: Uint8Array): void {
    this.#send(bytes);
  }

  /** Breaks the connection; with `bytes`, after these, as in the middle of a line. */
  cut(bytes?: Uint8Array): void {
    if (bytes !== undefined) this.#write(bytes);
    this.#finish(() => this.#sink.destroy());
  }

  /** Ends the stream cleanly, as at `timeoutSeconds`. */
  end(): void {
    this.#finish(() => this.#sink.end());
  }

  /** Half-open: nothing more is sent, the connection stays. */
  silence(): void {
    this.#silent = true;
  }

  /** Sends an ERROR event and ends. */
  fail(code: number, message?: string): void {
    this.#write(this.#encoder.error(kubeStatus(code, message)));
    this.end();
  }

  #typeFor(event: StoreEvent): FrameType | undefined {
    const matched = event.previous !== undefined && this.#filter(event.previous);
    const matches = event.type !== "DELETED" && this.#filter(event.object);
    if (matched) return matches ? "MODIFIED" : "DELETED";
    return matches ? "ADDED" : undefined;
  }

  #send(bytes: Uint8Array): void {
    if (this.#silent || this.#over) return;
    const fault = this.#faults.forFrame(this.resource);
    if (fault === undefined) this.#write(bytes);
    else this.#sendWrong(bytes, fault);
  }

  #sendWrong(bytes: Uint8Array, fault: FrameFault): void {
    switch (fault.type) {
      case "silence":
        this.silence();
        return;
      case "cut":
        this.cut(bytes.subarray(0, bytes.byteLength >>> 1));
        return;
      case "lose":
        return;
      case "duplicate":
        this.#write(bytes);
        this.#write(bytes);
        return;
      case "error":
        this.fail(fault.code ?? 410, fault.code === undefined ? "too old resource version" : undefined);
        return;
      case "text":
        this.#write(Buffer.from(fault.text, "utf8"));
    }
  }

  #write(bytes: Uint8Array): void {
    if (this.#silent || this.#over) return;
    if (this.#sink.write(bytes) > maxWaiting) this.cut();
  }

  #finish(close: () => void): void {
    if (this.#silent || this.#over) return;
    this.#over = true;
    close();
  }
}
