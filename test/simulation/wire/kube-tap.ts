import type { KubeConnection } from "../../../src/watch/kube-connection.ts";
import type { KubeRequest, KubeResponse, KubeTransport } from "../../../src/watch/transport.ts";
import { heardKinds } from "../sim-cluster.ts";
import type { HeardKind } from "../sim-cluster.ts";
import type { Gate } from "./gate.ts";
import { readProtobufPage, type Page } from "./protobuf-page.ts";

/** A list of everything of one kind that a process has been told, to its end. */
export interface CompleteList {
  readonly kind: HeardKind;
  readonly startedAt: number;
  readonly endedAt: number;
  /** When an operator said that the name stands for who sent it, if that was later. */
  readonly believedAt?: number;
  readonly objects: number;
}

export interface KubeTapOptions {
  readonly gate: Gate;
  readonly transport: KubeTransport;
  /** Objects a page, in place of what the client asks for: so that few objects make many pages. */
  readonly pageSize: number;
  readonly listed: (list: CompleteList) => void;
  /** A list is asked for from its beginning. */
  readonly begun: (kind: HeardKind) => void;
  /** A page of a list was answered with an error. */
  readonly failed: (kind: HeardKind) => void;
}

/** What a WatchList says, in each format: of an object that stood, and where those end. */
const words = {
  json: {
    added: Buffer.from('{"type":"ADDED"'),
    initialEnd: Buffer.from('"k8s.io/initial-events-end":"true"'),
  },
  protobuf: {
    added: Buffer.from("\n\u0005ADDED"),
    initialEnd: Buffer.from("k8s.io/initial-events-end\u0012\u0004true"),
  },
};

const isProtobuf = ({ contentType }: KubeResponse): boolean =>
  contentType.startsWith("application/vnd.kubernetes.protobuf");

/** One process's session to one cluster, and what came over it, as bytes. */
export class KubeTap {
  readonly #options: KubeTapOptions;
  readonly #open = new Set<AbortController>();
  /** The list that is being read page by page. */
  readonly #pages = new Map<HeardKind, { startedAt: number; objects: number }>();

  constructor(options: KubeTapOptions) {
    this.#options = options;
    options.gate.onShut(() => this.#hangUp());
  }

  connection(): KubeConnection {
    return Object.assign((request: KubeRequest) => this.#send(request), {
      close: () => {
        this.#hangUp();
        return Promise.resolve();
      },
    });
  }

  #hangUp(): void {
    for (const open of this.#open) open.abort();
  }

  async #send(request: KubeRequest): Promise<KubeResponse> {
    const { gate, transport, pageSize } = this.#options;
    await gate.pass();
    const startedAt = gate.time.now();
    const open = new AbortController();
    this.#open.add(open);
    const abort = (): void => {
      this.#open.delete(open);
      // An abort without a reason takes a stack trace.
      open.abort(request.signal.reason);
    };
    if (request.signal.aborted) abort();
    request.signal.addEventListener("abort", abort, { once: true });
    const path = request.path.replace("limit=500", `limit=${pageSize}`);
    const begun = beginsList(path);
    if (begun !== undefined) this.#options.begun(begun);
    try {
      const response = await gate.promise(transport({ ...request, path, signal: open.signal }));
      const heard = { ...response, body: gate.body(response.body) };
      return { ...response, body: this.#watched(path, heard, startedAt) };
    } catch (error) {
      this.#open.delete(open);
      throw error;
    }
  }

  #watched(path: string, response: KubeResponse, startedAt: number): AsyncIterable<Uint8Array> {
    const { status, body } = response;
    const kind = kindOf(path);
    const isWatched = isOfInterest(path, kind);
    const isPage = !path.includes("watch=true") && !/[?&]limit=1(?:&|$)/.test(path);
    if (status >= 400 && kind !== undefined && isWatched && isPage) this.#options.failed(kind);
    if (status !== 200 || kind === undefined || !isWatched) return body;
    if (path.includes("sendInitialEvents")) return this.#streamed(kind, response, startedAt);
    return path.includes("watch=true") ? body : this.#paged(kind, path, response, startedAt);
  }

  async *#streamed(
    kind: HeardKind,
    response: KubeResponse,
    startedAt: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { gate, listed } = this.#options;
    const { added, initialEnd } = words[isProtobuf(response) ? "protobuf" : "json"];
    let isComplete = false;
    let objects = 0;
    let tail = Buffer.alloc(0);
    for await (const piece of response.body) {
      if (!isComplete) {
        const seen = Buffer.concat([tail, piece]);
        objects += countOf(seen, added) - countOf(tail, added);
        isComplete = seen.includes(initialEnd);
        tail = seen.subarray(-initialEnd.length);
        if (isComplete) listed({ kind, startedAt, endedAt: gate.time.now(), objects });
      }
      yield piece;
    }
  }

  async *#paged(
    kind: HeardKind,
    path: string,
    response: KubeResponse,
    startedAt: number,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { gate, listed } = this.#options;
    const pieces: Uint8Array[] = [];
    for await (const piece of response.body) {
      pieces.push(piece);
      yield piece;
    }
    const whole = Buffer.concat(pieces);
    const page = isProtobuf(response) ? readProtobufPage(whole) : readPage(whole.toString("utf8"));
    if (page === undefined) return;
    const before = path.includes("continue=") ? this.#pages.get(kind) : undefined;
    const pages = before ?? { startedAt, objects: 0 };
    this.#pages.set(kind, pages);
    pages.objects += page.objects;
    if (page.isLast) listed({ kind, ...pages, endedAt: gate.time.now() });
  }
}

function kindOf(path: string): HeardKind | undefined {
  return heardKinds.find((each) => path.split("?")[0]?.endsWith(`/${each}`));
}

function isOfInterest(path: string, kind: HeardKind | undefined): boolean {
  return kind === "nodes" || path.includes("labelSelector");
}

/** Of which kind it is the beginning of a list, as pages or as a watch; undefined: of none. */
function beginsList(path: string): HeardKind | undefined {
  const kind = kindOf(path);
  const isProbe = /[?&]limit=1(?:&|$)/.test(path);
  const isMore = path.includes("continue=");
  const isResumed = path.includes("watch=true") && !path.includes("sendInitialEvents");
  return !isOfInterest(path, kind) || isProbe || isMore || isResumed ? undefined : kind;
}

function countOf(bytes: Buffer, sought: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + 1)) count++;
  return count;
}

/** Undefined for what is no page. */
function readPage(text: string): Page | undefined {
  try {
    const { items, metadata } = JSON.parse(text) as {
      items?: unknown[];
      metadata?: { continue?: string; resourceVersion?: string };
    };
    if (!Array.isArray(items) || typeof metadata?.resourceVersion !== "string") return undefined;
    return { objects: items.length, isLast: (metadata.continue ?? "") === "" };
  } catch {
    return undefined;
  }
}
