import type {
  AdminMethod,
  AdminRequest,
  AdminResponse,
  AdminTransport,
} from "../../../src/apisix/transport.ts";
import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import type { Body } from "../oracle/ownership.ts";
import type { Gate } from "./gate.ts";
import type { Collection, Knowledge, Known, ReadItem } from "./knowledge.ts";

/** One request of a process, from its sending to what the process heard of it. */
export interface SentRequest {
  readonly tag: number;
  readonly term: number;
  readonly method: AdminMethod;
  readonly collection: string;
  /** Undefined for a list. */
  readonly id: string | undefined;
  readonly sentAt: number;
  /** Milliseconds after which it is given up. */
  readonly timeout: number;
  /** What the process could know of the object when it sent this. */
  readonly known: Known;
  /** What it had last read there, or had acknowledged; undefined: nothing. */
  readonly lastRead: Body | undefined;
  /** The same of both objects of this id. */
  readonly knownRoute: Known;
  readonly knownUpstream: Known;
  /** When the process had last seen what stands there, and when the routes of everybody. */
  readonly lookedAt: number;
  readonly routesSeenAt: number;
  /** Set when it was applied or refused. */
  exchange: AdminExchange | undefined;
  endedAt: number | undefined;
  /** Its process is dead, or another one leads: whoever leads can know nothing of it. */
  readonly isOrphan: () => boolean;
}

/** Refused before etcd was asked: not applied. */
const etcdDown = "has no healthy etcd endpoint available";
/** Whoever answers with one of these has not let the request through, in whatever words. */
const turnedAway: readonly number[] = [401, 403, 413, 429];

export interface AdminTapOptions {
  readonly gate: Gate;
  readonly term: number;
  readonly transport: AdminTransport;
  readonly knowledge: Knowledge;
  readonly nextTag: () => number;
  /** Whether the process is alive, and no other leads. */
  readonly leads: () => boolean;
  readonly sent: (request: SentRequest) => void;
  readonly ended: (request: SentRequest, how: string) => void;
}

/** A process's way to APISIX. Marks each request in its query, so that the journal can be told whose it was. */
export class AdminTap {
  readonly #options: AdminTapOptions;

  constructor(options: AdminTapOptions) {
    this.#options = options;
  }

  readonly send: AdminTransport = async (request) => {
    const { gate, transport } = this.#options;
    await gate.pass();
    if (request.method === "POST") return this.#asked(request);
    const sent = this.#sent(request);
    try {
      const asked = transport({ ...request, path: `${request.path}?tag=${sent.tag}` });
      const response = await gate.promise(asked);
      return { ...response, body: this.#heard(sent, request, response) };
    } catch (error) {
      this.#unanswered(sent, request, String(error));
      throw error;
    }
  };

  /** Whether a body would be accepted: nothing is known of any object by that. */
  async #asked(request: AdminRequest): Promise<AdminResponse> {
    const { gate, transport } = this.#options;
    const response = await gate.promise(transport(request));
    return { ...response, body: gate.body(response.body) };
  }

  #sent({ method, path, timeout }: AdminRequest): SentRequest {
    const { gate, term, knowledge, nextTag, sent, leads } = this.#options;
    const [, , , collection = "", id] = path.split("/");
    const isOurs = collection === "routes" || collection === "upstreams";
    const knownOf = (of: Collection): Known =>
      isOurs && id !== undefined ? knowledge.of(of, id) : { type: "unknown" };
    const [knownRoute, knownUpstream] = [knownOf("routes"), knownOf("upstreams")];
    const request: SentRequest = {
      ...{ tag: nextTag(), term, method, collection, id, sentAt: gate.time.now(), timeout },
      ...{ known: collection === "routes" ? knownRoute : knownUpstream, knownRoute, knownUpstream },
      lastRead: isOurs && id !== undefined ? knowledge.lastReads.of(collection, id) : undefined,
      lookedAt: isOurs && id !== undefined ? knowledge.lookedAt(collection, id) : -Infinity,
      routesSeenAt: knowledge.routesSeenAt,
      ...{ exchange: undefined, endedAt: undefined, isOrphan: () => !leads() },
    };
    sent(request);
    if (id !== undefined) knowledge.begins(collection as Collection, id);
    return request;
  }

  async *#heard(
    sent: SentRequest,
    request: AdminRequest,
    { status, body }: AdminResponse,
  ): AsyncGenerator<Uint8Array, void, void> {
    const { gate } = this.#options;
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of gate.body(body)) {
        pieces.push(piece);
        yield piece;
      }
      this.#answered(sent, request, status, Buffer.concat(pieces).toString("utf8"));
    } finally {
      // Broken off, or left unread.
      this.#unanswered(sent, request, `${status}, not read to its end`);
    }
  }

  #unanswered(sent: SentRequest, { body = "" }: AdminRequest, why: string): void {
    const { knowledge, gate } = this.#options;
    const { collection, id, method } = sent;
    if (sent.endedAt !== undefined) return;
    if (id !== undefined) knowledge.troubled(gate.time.now());
    if (id !== undefined && method !== "GET")
      knowledge.unanswered(collection as Collection, id, parsed(body));
    this.#end(sent, why);
  }

  #end(sent: SentRequest, how: string): void {
    const { gate, knowledge, ended } = this.#options;
    if (sent.endedAt !== undefined) return;
    sent.endedAt = gate.time.now();
    if (sent.id !== undefined) knowledge.ends(sent.id, sent.endedAt);
    ended(sent, how);
  }

  #answered(sent: SentRequest, request: AdminRequest, status: number, text: string): void {
    const { knowledge, gate } = this.#options;
    const json = parsed(text);
    if (sent.id !== undefined && !isNormal(status, json)) knowledge.troubled(gate.time.now());
    if (sent.id === undefined) this.#listHeard(sent, status, json);
    else if (sent.method === "GET") this.#objectHeard(sent, status, json);
    else this.#writeHeard(sent, request, status, json);
    this.#end(sent, String(status));
  }

  #listHeard(sent: SentRequest, status: number, json: Body | undefined): void {
    const { knowledge, gate } = this.#options;
    const list = json?.["list"];
    const items = Array.isArray(list) ? list : [];
    const isWhole = status === 200 && json?.["total"] === items.length && sent.exchange !== undefined;
    const read = isWhole ? items.map(readItem) : [undefined];
    if (!read.every((item) => item !== undefined)) return;
    const at = sent.exchange?.at ?? sent.sentAt;
    const heard = { items: read, sentAt: sent.sentAt, at, heardAt: gate.time.now() };
    knowledge.listed(sent.collection as Collection | "services", heard);
  }

  #objectHeard(sent: SentRequest, status: number, json: Body | undefined): void {
    const { knowledge } = this.#options;
    const collection = sent.collection as Collection;
    const at = sent.exchange?.at ?? sent.sentAt;
    const value = json?.["value"];
    if (status === 404 && typeof json?.["message"] === "string")
      knowledge.read(collection, sent.id ?? "", undefined, at);
    else if (status === 200 && typeof value === "object" && value !== null)
      knowledge.read(collection, sent.id ?? "", value as Body, at);
  }

  /** Whatever is not an answer of APISIX's own leaves open whether the write was applied, unless it was turned away. */
  #writeHeard(sent: SentRequest, request: AdminRequest, status: number, json: Body | undefined): void {
    const { knowledge, gate } = this.#options;
    const now = gate.time.now();
    const collection = sent.collection as Collection;
    const id = sent.id ?? "";
    const isDone = json !== undefined && (typeof json["key"] === "string" || status === 404);
    if (isDone && sent.method === "PUT" && (status === 200 || status === 201))
      knowledge.written(collection, id, parsed(request.body ?? ""), now);
    else if (isDone && sent.method === "DELETE" && (status === 200 || status === 404))
      knowledge.written(collection, id, undefined, now);
    else if (turnedAway.includes(status)) return;
    else if (json === undefined || (status >= 500 && json["error_msg"] !== etcdDown))
      knowledge.unanswered(collection, id, parsed(request.body ?? ""));
  }
}

/** An answer of APISIX's own about the object; what etcd refused is none. */
function isNormal(status: number, json: Body | undefined): boolean {
  const isOwn = json !== undefined && [200, 201, 400, 404].includes(status);
  return isOwn && !String(json["error_msg"]).includes(etcdDown);
}

function parsed(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

function readItem(item: unknown): ReadItem | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { key, value } = item as { key?: unknown; value?: unknown };
  if (typeof key !== "string" || typeof value !== "object" || value === null) return undefined;
  return { id: key.slice(key.lastIndexOf("/") + 1), value: value as Body };
}
