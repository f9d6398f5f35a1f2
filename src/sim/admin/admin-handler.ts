/** One request to the embedded Admin API, answered from the store: keys, paths, bodies, dispatch. No sockets, no faults. */
import type { Clock } from "../../runtime.ts";
import { authorise, type AdminKeys } from "./admin-keys.ts";
import { parseAdminPath, type AdminPath } from "./admin-path.ts";
import type { AdminStore } from "./admin-store.ts";
import { htmlReply, plainRefusal, refusal, textReply, type AdminReply } from "./admin-reply.ts";
import { answerExtra } from "./extra-endpoints.ts";
import { isJsonObject } from "./json-schema.ts";
import { parseBody, sizeRefusal } from "./request-body.ts";
import { credentialKind, kindNamed } from "./resource-kinds.ts";
import { getResource } from "./resource-read.ts";
import { crashesApisix } from "./resource-rules.ts";
import {
  ApisixCrash,
  deleteResource,
  postResource,
  preparePatch,
  putResource,
  type PreparedPatch,
  type Target,
  type WriteContext,
} from "./resource-write.ts";

export interface HandlerRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Raw text; `""` for none. */
  readonly body: string;
  /** Bytes of the body, where it was too long to be kept. */
  readonly bodyBytes?: number;
}

/** What the request is about, for faults and the journal; absent parts could not be told from its path. */
export interface RequestSubject {
  readonly resource: string | undefined;
  readonly id: string | undefined;
}

export interface HandlerOptions {
  readonly clock: Clock;
  readonly keys: AdminKeys;
  /** False: stream routes answer 400 to everything. */
  readonly streamRoutes: boolean;
}

interface Circumstances {
  readonly etcdUp: boolean;
  readonly referenceLag: number;
}

const methods = new Set(["GET", "PUT", "POST", "PATCH", "DELETE"]);

export function subjectOf(path: AdminPath): RequestSubject {
  const [resource, id, credentials, credential] = path.segments;
  if (resource === "consumers" && credentials === "credentials") {
    return { resource: `consumers/${id}/credentials`, id: credential };
  }
  return { resource, id };
}

export interface AdminHandler {
  readonly store: AdminStore;
  /** Reads and checks; writes too, except for a PATCH, which waits for `commit`. */
  begin(request: HandlerRequest, circumstances: Circumstances): AdminReply | PreparedPatch;
}

export function createAdminHandler(store: AdminStore, options: HandlerOptions): AdminHandler {
  return {
    store,
    begin(request, circumstances) {
      try {
        return answer(store, options, request, circumstances);
      } catch (error) {
        // A RangeError is a body nested too deeply to be walked: whoever sends one must not end the process.
        if (error instanceof ApisixCrash || error instanceof RangeError) {
          return htmlReply(500, "Internal Server Error");
        }
        throw error;
      }
    },
  };
}

function answer(
  store: AdminStore,
  options: HandlerOptions,
  request: HandlerRequest,
  circumstances: Circumstances,
): AdminReply | PreparedPatch {
  const { method } = request;
  if (method === "TRACE") return htmlReply(405, "Not Allowed", "openresty");
  const path = parseAdminPath(request.path);
  if (path === undefined) return htmlReply(400, "Bad Request", "openresty");
  if (!path.admin)
    return answerExtra({ request, path, body: undefined }) ?? htmlReply(404, "Not Found", "openresty");
  if (method === "OPTIONS") return textReply(200, "");
  if (path.segments.length === 0) return method === "HEAD" ? bareOk : htmlReply(404, "Not Found");
  if (!methods.has(method)) return htmlReply(404, "Not Found");
  const denied = authorise(options.keys, request, path.query);
  if (denied !== undefined) return denied;
  if (request.bodyBytes !== undefined) return sizeRefusal(request.bodyBytes);
  return answerAuthorised(store, options, request, circumstances, path);
}

const bareOk: AdminReply = {
  status: 200,
  headers: { "content-type": "application/json", server: "APISIX/3.18.0" },
  body: "",
};

function answerAuthorised(
  store: AdminStore,
  options: HandlerOptions,
  request: HandlerRequest,
  circumstances: Circumstances,
  path: AdminPath,
): AdminReply | PreparedPatch {
  const body = parseBody(request.body);
  if (!body.ok) return body.reply;
  const extra = answerExtra({ request, path, body: body.value });
  if (extra !== undefined) return extra;
  const target = targetOf(path);
  if (target === undefined) {
    return plainRefusal(404, `Unsupported resource type: ${path.segments[0] ?? ""}`);
  }
  const { kind } = target;
  if (kind.name === "stream_routes" && !options.streamRoutes) {
    return refusal(400, "stream mode is disabled, can not use stream routes");
  }
  if (!kind.methods.has(request.method)) {
    return refusal(405, `not supported \`${request.method}\` method for ${kind.singular}`);
  }
  const context = { store, clock: options.clock, ...circumstances };
  return answerResource(context, target, request.method, body.value, path.query);
}

function answerResource(
  context: WriteContext,
  target: Target,
  method: string,
  body: unknown,
  query: URLSearchParams,
): AdminReply | PreparedPatch {
  if (method === "GET") return getResource(context.store, context.etcdUp, target, query);
  if (method === "DELETE") return deleteResource(context, target, query.get("force"));
  if (method === "PATCH") return preparePatch(context, target, body);
  const ttl = query.get("ttl");
  if (ttl !== null && !(Number(ttl) > 0))
    return plainRefusal(400, "invalid argument ttl: should be a number");
  if (target.kind.name === "upstreams" && isJsonObject(body) && crashesApisix(body)) throw new ApisixCrash();
  const write = method === "PUT" ? putResource : postResource;
  return write(context, target, body, ttl === null ? undefined : Number(ttl));
}

function targetOf({ segments }: AdminPath): Target | undefined {
  const [name, id, ...rest] = segments;
  if (name === undefined) return undefined;
  const kind = kindNamed(name);
  if (kind === undefined) return undefined;
  if (name === "consumers" && id !== undefined && rest[0] === "credentials") {
    return {
      kind: credentialKind,
      collection: `consumers/${id}/credentials`,
      id: rest[1],
      rest: rest.slice(2),
    };
  }
  return { kind, collection: name, id, rest };
}
