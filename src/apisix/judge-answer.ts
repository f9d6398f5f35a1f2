import type { Answer } from "./answer.ts";
import { isJsonArray, isJsonObject } from "./json-object.ts";
import { misshapenField } from "./object-shape.ts";
import { collectionOf, idOfKey } from "./resource-path.ts";
import type { JsonObject, Resource } from "./types.ts";

/** What a failure says of other requests: `gateway`: nothing else will do better now; `id`: only this object is concerned. */
type Scope = "id" | "gateway";

export type WriteResult =
  | { readonly type: "done"; readonly status: number }
  /** Not applied; the same request may succeed later. */
  | {
      readonly type: "retry";
      readonly reason: string;
      readonly scope: Scope;
      readonly status?: number;
      /** Milliseconds. */
      readonly retryAfter?: number;
      /** What still refers to an upstream that was to go, as `route [shop]`. */
      readonly usedBy?: string;
    }
  /** Not applied, and will not be: the body is wrong. `message` is APISIX's own, cut to `maxMessage`. */
  | { readonly type: "refused"; readonly status: number; readonly message: string }
  /** Ended without an answer, or with one that cannot be used: it may have been applied, or be applied later. */
  | {
      readonly type: "unknown";
      readonly reason: string;
      readonly scope: Scope;
      readonly status?: number;
      /** Milliseconds. */
      readonly retryAfter?: number;
    };

export type ReadResult =
  | { readonly type: "found"; readonly object: JsonObject }
  | { readonly type: "absent" }
  | {
      readonly type: "retry";
      readonly reason: string;
      readonly scope: Scope;
      readonly status?: number;
      /** Milliseconds. */
      readonly retryAfter?: number;
    };

/** What APISIX says of a body without writing it. `unable`: it does not say (before 3.17). */
export type CheckResult =
  | Extract<WriteResult, { type: "done" | "refused" | "retry" }>
  | { readonly type: "unable" };

/** One of our objects, and what was asked of it. */
export interface Subject {
  readonly resource: Resource;
  readonly id: string;
}

/**
 * The only texts that are looked at (FACTS-APISIX.md). Each is anchored, for the rest of a 400 may quote the body: what a
 * user wrote into an annotation must not pass for a fault of the gateway.
 */
const etcdDown = "has no healthy etcd endpoint available";
const stillUsed = "is still using it now";
const upstreamUnread = "failed to fetch upstream info by upstream id [";
const upstreamAbsent = ", response code: 404";

const maxMessage = 512;

export function judgePut(subject: Subject, answer: Answer): WriteResult {
  const { status } = answer;
  if (status === 200 || status === 201)
    return isAbout(subject, answer) ? { type: "done", status } : unusable(answer);
  if (status === 400) return judgeBadRequest(answer);
  if (status === 413)
    return { type: "refused", status, message: "the body is larger than the Admin API takes" };
  return judgeFault(answer);
}

export function judgeRemove(subject: Subject, answer: Answer): WriteResult {
  const { status } = answer;
  if (status === 200) return isAbout(subject, answer) ? { type: "done", status } : unusable(answer);
  if (status === 404) return isAbsent(answer) ? { type: "done", status } : unusable(answer);
  if (status !== 400) return judgeFault(answer);
  const message = messageOf(answer);
  if (message?.endsWith(stillUsed)) {
    const usedBy = message.slice(message.indexOf(", ") + 1, -stillUsed.length).trim();
    return { type: "retry", reason: message, scope: "id", status, usedBy };
  }
  return judgeBadRequest(answer);
}

/**
 * Why nobody gets further at the URL that answered; undefined: the Admin API judged this one request. A 429 is both: it
 * asks for patience, which is not had elsewhere.
 */
export function faultOfUrl(result: WriteResult | ReadResult | CheckResult): string | undefined {
  return "scope" in result && result.scope === "gateway" && result.status !== 429 ? result.reason : undefined;
}

/** A read changes nothing, so all that is not an answer about the object is a reason to ask again. */
export function judgeRead(subject: Subject, answer: Answer): ReadResult {
  const { status } = answer;
  if (status === 404 && isAbsent(answer)) return { type: "absent" };
  const object = status === 200 && isAbout(subject, answer) ? answer.json?.["value"] : undefined;
  if (isJsonObject(object) && misshapenField(collectionOf(subject.resource), object) === undefined) {
    return { type: "found", object };
  }
  const fault = status === 200 || status === 404 ? unusable(answer) : judgeFault(answer);
  const scope = fault.type === "refused" || fault.type === "done" ? "gateway" : fault.scope;
  const reason = "reason" in fault ? fault.reason : `answered ${status}`;
  return { type: "retry", reason, scope, status, ...asked(answer) };
}

/**
 * Nothing was written, whatever was answered. Whoever turns a check away, an old APISIX or a proxy, has said nothing of the
 * body, nor of other requests: what it says of those is heard when they are made.
 */
export function judgeCheck(answer: Answer): CheckResult {
  const { status, json } = answer;
  if (status === 200 && json !== undefined) return { type: "done", status };
  const errors = status === 400 ? json?.["errors"] : undefined;
  const first = isJsonArray(errors) ? errors[0] : undefined;
  if (first !== undefined) {
    const said = [isJsonObject(first) ? first["error"] : first, json?.["error_msg"]];
    const message = said.find((one) => typeof one === "string") ?? "it gives no reason";
    return { type: "refused", status, message: cut(message) };
  }
  if (status !== 429 && (status < 500 || status === 501)) return { type: "unable" };
  return { type: "retry", reason: `answered ${status}`, scope: "id", status, ...asked(answer) };
}

function judgeBadRequest(answer: Answer): WriteResult {
  const { status } = answer;
  const message = messageOf(answer);
  if (message === undefined) return unusable(answer);
  if (message.startsWith(upstreamUnread)) {
    const scope = message.endsWith(upstreamAbsent) ? "id" : "gateway";
    return { type: "retry", reason: message, scope, status };
  }
  if (message === etcdDown) return { type: "retry", reason: message, scope: "gateway", status };
  return { type: "refused", status, message };
}

/**
 * Every status but success, 400 and 404.
 *
 * A 503 other than `etcdDown` is what etcd said to APISIX, as "request timed out": etcd may apply the write all the
 * same. A 500 comes from APISIX's own code stumbling over one request (recorded: `nodes` as a string), so it says
 * nothing of others.
 */
function judgeFault(answer: Answer): WriteResult {
  const { status, server } = answer;
  const message = messageOf(answer);
  if (status === 401 || status === 403) {
    return { type: "retry", reason: `APISIX refuses the admin key (${status})`, scope: "gateway", status };
  }
  if (status === 429)
    return { type: "retry", reason: "too many requests (429)", scope: "gateway", status, ...asked(answer) };
  if (status < 500 || message === undefined) {
    const own = status === 500 && server.startsWith("APISIX/");
    return own ? { ...unusable(answer), scope: "id" } : unusable(answer);
  }
  const reason = `answered ${status}: ${message}`;
  if (status === 503 && message === etcdDown)
    return { type: "retry", reason, scope: "gateway", status, ...asked(answer) };
  return { type: "unknown", reason, scope: status === 500 ? "id" : "gateway", status, ...asked(answer) };
}

/** Something answered that is not the Admin API, or not as it does: a proxy, the data plane's port, a redirect. */
function unusable(answer: Answer): WriteResult & { readonly type: "unknown" } {
  const { status, json } = answer;
  const what = json === undefined ? "not with a JSON object" : "not as the Admin API does";
  return {
    type: "unknown",
    reason: `answered ${status}, ${what}`,
    scope: "gateway",
    status,
    ...asked(answer),
  };
}

/** How long it asks to be left alone: of an overloaded server, or of a proxy before one that is not there. */
function asked({ status, retryAfter }: Answer): { readonly retryAfter?: number } {
  return (status !== 429 && status !== 503) || retryAfter === undefined ? {} : { retryAfter };
}

/** The answer names the object that was asked for. */
function isAbout({ resource, id }: Subject, { json }: Answer): boolean {
  return idOfKey(json?.["key"], collectionOf(resource)) === id;
}

/**
 * To the letter: the data plane's port and unknown paths answer 404 with `error_msg`, and other gateways with a `message`
 * of their own, of which nobody may conclude that an object is gone.
 */
function isAbsent({ json }: Answer): boolean {
  return json?.["message"] === "Key not found";
}

function messageOf({ json }: Answer): string | undefined {
  const message = json?.["error_msg"];
  if (typeof message === "string") return cut(message);
  return message === undefined || json === undefined ? undefined : cut(JSON.stringify(message));
}

/** Both ends stay: the texts above stand at one of them. */
function cut(message: string): string {
  if (message.length <= maxMessage) return message;
  return `${message.slice(0, maxMessage / 2)} … ${message.slice(-maxMessage / 2)}`;
}
