import { TranslatorError } from "../errors.ts";
import type { Clock, Random } from "../runtime.ts";
import { statusError, unechoedError } from "../watch/api-status.ts";
import type { KubeConnection } from "../watch/kube-connection.ts";
import { LineSplitter } from "../watch/line-splitter.ts";
import { OwnConnection } from "../watch/own-connection.ts";
import type { TimeLimits } from "../watch/timed-request.ts";
import type { KubeMethod, KubeResponse } from "../watch/transport.ts";
import type { LeaseApi, LeaseWritten } from "./lease-api.ts";
import { claimText, readLease, releaseText } from "./lease.ts";
import type { Lease, LeaseClaim, LeasePlace } from "./lease.ts";

/** A Lease is about 1 KB; this leaves room for generous annotations and managedFields. */
const maxBytes = 1024 * 1024;
/** The server ends a watch after this many seconds, plus a random part of it. */
const watchSeconds = 300;
/** A holder renews every few seconds: with less than that, no silence of a watch is normal for so long. */
const watchSilence = 60_000;

export interface LeaseClientParts {
  readonly clock: Clock;
  readonly random: Random;
  /** A connection of the election's own: its requests wait behind nothing. Called again when a credential was refused. */
  readonly connect: (signal: AbortSignal) => Promise<KubeConnection>;
  readonly place: LeasePlace;
  /** Milliseconds for a request but a watch. */
  readonly timeout: number;
}

/** One Lease over the API of the cluster that holds it. */
export class LeaseClient implements LeaseApi {
  readonly #parts: LeaseClientParts;
  readonly #limits: TimeLimits;
  readonly #collection: string;
  readonly #path: string;
  readonly #connection: OwnConnection;

  constructor(parts: LeaseClientParts) {
    const { clock, connect, place, timeout } = parts;
    this.#parts = parts;
    this.#connection = new OwnConnection(clock, connect);
    this.#limits = { answer: timeout, silence: timeout, whole: timeout };
    this.#collection = `/apis/coordination.k8s.io/v1/namespaces/${place.namespace}/leases`;
    this.#path = `${this.#collection}/${place.name}`;
  }

  async read(signal: AbortSignal): Promise<Lease | null> {
    const response = await this.#send("GET", this.#path, undefined, signal);
    if (response.status === 200) return this.#leaseIn(await bodyOf(response));
    if (response.status !== 404) throw await this.#connection.fault(response);
    const body = await bodyOf(response);
    // Not every 404 says so: a proxy's does not, nor that of a server without the API group.
    if (isAbsence(body, this.#parts.place.name)) return null;
    throw new TranslatorError(
      "KUBE_PROTOCOL",
      "the server answered 404, and not that there is no such Lease",
    );
  }

  async claim(claim: LeaseClaim, over: Lease | null, signal: AbortSignal): Promise<LeaseWritten> {
    const { place, clock } = this.#parts;
    return this.#write(claimText(place, claim, over, clock.wall()), over, claim.holder, signal);
  }

  async release(over: Lease, signal: AbortSignal): Promise<LeaseWritten> {
    const { place, clock } = this.#parts;
    return this.#write(releaseText(place, over, clock.wall()), over, "", signal);
  }

  async watch(version: string, signal: AbortSignal, seen: (lease: Lease | null) => void): Promise<void> {
    const { place, random } = this.#parts;
    const query = new URLSearchParams({
      ...{ watch: "true", allowWatchBookmarks: "true", resourceVersion: version },
      // RBAC that names the Lease admits a watch that asks for that one alone.
      fieldSelector: `metadata.name=${place.name}`,
      timeoutSeconds: String(Math.ceil(watchSeconds * (1 + random()))),
    });
    const path = `${this.#collection}?${query.toString()}`;
    const limits: TimeLimits = { answer: this.#limits.answer, silence: watchSilence };
    const response = await this.#connection.send({ path, accept: "application/json", signal, limits });
    if (response.status !== 200) throw await this.#connection.fault(response);
    const lines = new LineSplitter(maxBytes);
    for await (const chunk of response.body)
      for (const line of lines.push(chunk)) this.#frame(line, seen, response);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #write(text: string, over: Lease | null, holder: string, signal: AbortSignal): Promise<LeaseWritten> {
    const response =
      over === null
        ? await this.#send("POST", this.#collection, text, signal)
        : await this.#send("PUT", this.#path, text, signal);
    const { status } = response;
    if (status === 409 || (status === 404 && over !== null)) {
      await bodyOf(response);
      return { type: "conflict" };
    }
    if (status !== 200 && status !== 201) throw await this.#connection.fault(response);
    const lease = this.#leaseIn(await bodyOf(response));
    if (lease.holder === holder) return { type: "written", lease };
    throw new TranslatorError("KUBE_PROTOCOL", "the server answered a write with another holder");
  }

  #send(
    method: KubeMethod,
    path: string,
    text: string | undefined,
    signal: AbortSignal,
  ): Promise<KubeResponse> {
    const body = text === undefined ? {} : { body: text };
    const request = { method, path, accept: "application/json", signal, limits: this.#limits, ...body };
    return this.#connection.send(request);
  }

  #leaseIn(value: unknown): Lease {
    const lease = readLease(value, this.#parts.place);
    if (lease !== undefined) return lease;
    throw new TranslatorError("KUBE_PROTOCOL", "the server answered with something else than the Lease");
  }

  #frame(line: Uint8Array | "too long", seen: (lease: Lease | null) => void, response: KubeResponse): void {
    if (line === "too long") throw new TranslatorError("KUBE_PROTOCOL", "an event of the Lease has no end");
    const { type, object } = recordOf(parsed(line));
    if (type === "BOOKMARK") return;
    if (type === "ERROR") throw unechoedError(statusError(object), response);
    const lease = this.#leaseIn(object);
    if (type === "ADDED" || type === "MODIFIED") return seen(lease);
    if (type === "DELETED") return seen(null);
    throw new TranslatorError("KUBE_PROTOCOL", "the server sent an event of no known type");
  }
}

async function bodyOf(response: KubeResponse): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new TranslatorError("KUBE_PROTOCOL", "the answer for the Lease has no end");
  }
  return parsed(Buffer.concat(chunks));
}

/** Undefined where it is not JSON: then it is not what was asked for, either. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

function isAbsence(value: unknown, name: string): boolean {
  const { kind, reason, details } = recordOf(value);
  const about = recordOf(details);
  return kind === "Status" && reason === "NotFound" && about["kind"] === "leases" && about["name"] === name;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
