import { TranslatorError } from "../../errors.ts";
import type { Clock } from "../../runtime.ts";
import { printable, responseError } from "../../watch/api-status.ts";
import type { KubeConnection } from "../../watch/kube-connection.ts";
import { OwnConnection } from "../../watch/own-connection.ts";
import type { KubeMethod, KubeResponse } from "../../watch/transport.ts";
import type { KubeEvent } from "./kube-event.ts";
import { eventBody, microTime } from "./kube-event.ts";

const limits = { answer: 10_000, silence: 10_000, whole: 10_000 };
/** An Event is about 1 KB, with managedFields two. */
const maxBytes = 256 * 1024;

/** What became of an Event. An error is thrown where it is worth another try. */
export type EventTold =
  | { readonly type: "told" }
  /** Its namespace ends, or is gone: nobody would read it. */
  | { readonly type: "unwanted" }
  /** `reason`: what the server said. */
  | { readonly type: "forbidden" | "refused"; readonly reason: string };

export interface EventClientParts {
  readonly clock: Clock;
  /** A connection of its own: what hangs here keeps nothing else waiting. Called again when a credential was refused. */
  readonly connect: (signal: AbortSignal) => Promise<KubeConnection>;
}

/** Events over the API of one cluster. Needs the rights to create and to patch them, and no other. */
export class EventClient {
  readonly #connection: OwnConnection;

  constructor({ clock, connect }: EventClientParts) {
    this.#connection = new OwnConnection(clock, connect);
  }

  /**
   * Makes the Event; where it is there already, also from an earlier process, counts on its series: nothing else of an
   * Event can be changed.
   *
   * @throws TranslatorError as the transport does; `KUBE_STATUS` where the server may answer otherwise later.
   */
  async tell(event: KubeEvent, signal: AbortSignal): Promise<EventTold> {
    const path = `/apis/events.k8s.io/v1/namespaces/${event.namespace}/events`;
    const made = await this.#send("POST", path, eventBody(event), signal);
    if (made.status !== 409) return this.#judge(made);
    await bytesOf(made);
    return this.#count(`${path}/${event.name}`, event, signal);
  }

  /** @throws TranslatorError 404 where it has expired meanwhile: then it can be made. */
  async #count(path: string, event: KubeEvent, signal: AbortSignal): Promise<EventTold> {
    const found = await this.#patch(path, {}, signal);
    if (found.status === 404) throw await responseError(found);
    if (found.status !== 200) return this.#judge(found);
    const count = countOf(await bytesOf(found)) + 1;
    const series = { count, lastObservedTime: microTime(event.at) };
    const counted = await this.#patch(path, { series }, signal);
    if (counted.status === 404) throw await responseError(counted);
    return this.#judge(counted);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** An empty patch changes nothing, and answers what stands. */
  #patch(path: string, changes: object, signal: AbortSignal): Promise<KubeResponse> {
    return this.#send("PATCH", path, JSON.stringify(changes), signal, "application/merge-patch+json");
  }

  async #judge(response: KubeResponse): Promise<EventTold> {
    const { status } = response;
    if (status === 200 || status === 201) {
      await bytesOf(response);
      return { type: "told" };
    }
    if (status === 403) return refusal(parsed(await bytesOf(response)));
    const error = await this.#connection.fault(response);
    if (status === 404) return { type: "unwanted" };
    if (status === 400 || status === 413 || status === 415 || status === 422)
      return { type: "refused", reason: error.message };
    throw error;
  }

  #send(
    method: KubeMethod,
    path: string,
    body: string,
    signal: AbortSignal,
    contentType = "application/json",
  ): Promise<KubeResponse> {
    const request = { method, path, accept: "application/json", body, contentType, signal, limits };
    return this.#connection.send(request);
  }
}

async function bytesOf(response: KubeResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) throw new TranslatorError("KUBE_PROTOCOL", "the answer for an Event has no end");
  }
  return Buffer.concat(chunks);
}

/** How often the standing Event was observed: an Event without a series once. */
function countOf(bytes: Uint8Array): number {
  const { count } = recordOf(recordOf(parsed(bytes))["series"]);
  return typeof count === "number" && Number.isInteger(count) && count >= 1 && count < 1e9 ? count : 1;
}

/** A namespace that ends takes no new objects: the server says so in a cause. */
function refusal(status: unknown): EventTold {
  const { message, details } = recordOf(status);
  const { causes } = recordOf(details);
  const ends = (cause: unknown): boolean => recordOf(cause)["reason"] === "NamespaceTerminating";
  if (Array.isArray(causes) && causes.some(ends)) return { type: "unwanted" };
  return { type: "forbidden", reason: typeof message === "string" ? printable(message) : "" };
}

/** Undefined where it is not JSON. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
