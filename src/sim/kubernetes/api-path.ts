import {
  apiVersionOf,
  resourceNames,
  resourceRows,
  type ResourceName,
  type ResourceRow,
} from "./resources.ts";

/** What a request is about. `verb` is the one that RBAC knows. */
export type ApiTarget =
  | { readonly type: "health"; readonly text: string }
  | { readonly type: "version" }
  /** `SelfSubjectAccessReview`: whether the asker may do something. */
  | { readonly type: "access review" }
  | {
      readonly type: "resource";
      readonly verb: Verb;
      readonly resource: ResourceName;
      readonly namespace?: string;
      readonly name?: string;
      readonly query: URLSearchParams;
    }
  /** A served group that does not have the resource (Status), against a path that nothing serves (plain text). */
  | { readonly type: "unknown"; readonly groupServed: boolean };

export type Verb = "list" | "watch" | "get" | "create" | "update" | "patch" | "delete";

const health = new Set(["/livez", "/readyz", "/healthz"]);
const accessReviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const served = new Set(resourceNames.map((name) => apiVersionOf(resourceRows[name])));

/** What a request is about. A method that its path does not take (PUT of a collection) is read as a GET: the handler answers 405. */
export function parseApiPath(pathAndQuery: string, method = "GET"): ApiTarget {
  const [path = "", query = ""] = pathAndQuery.split(/\?(.*)/s, 2);
  if (health.has(path)) return { type: "health", text: "ok" };
  if (path === "/version") return { type: "version" };
  if (method === "POST" && path === accessReviews) return { type: "access review" };
  const segments = path.split("/").slice(1).map(decodeSegment);
  const [root, ...afterRoot] = segments;
  if (root !== "api" && root !== "apis") return { type: "unknown", groupServed: false };
  const apiVersion = root === "api" ? afterRoot[0] : afterRoot.slice(0, 2).join("/");
  if (apiVersion === undefined || !served.has(apiVersion)) return { type: "unknown", groupServed: false };
  const rest = afterRoot.slice(root === "api" ? 1 : 2);
  return (
    parseResource(apiVersion, rest, new URLSearchParams(query), method) ?? {
      type: "unknown",
      groupServed: true,
    }
  );
}

function parseResource(
  apiVersion: string,
  rest: readonly string[],
  query: URLSearchParams,
  method: string,
): ApiTarget | undefined {
  const inNamespace = rest[0] === "namespaces" && rest.length > 2;
  const namespace = inNamespace ? rest[1] : undefined;
  const [resourceText, name, ...more] = inNamespace ? rest.slice(2) : rest;
  if (resourceText === undefined || more.length > 0) return undefined;
  const resource = resourceNames.find(
    (candidate) => candidate === resourceText && apiVersionOf(resourceRows[candidate]) === apiVersion,
  );
  if (resource === undefined) return undefined;
  const row: ResourceRow = resourceRows[resource];
  if (namespace !== undefined && !row.namespaced) return undefined;
  if (name !== undefined && row.namespaced && namespace === undefined) return undefined;
  const watching = query.get("watch") === "true" || query.get("watch") === "1";
  const isObject = name !== undefined && name !== "";
  const read = isObject ? "get" : watching ? "watch" : "list";
  const verb = (isObject ? objectVerbs : collectionVerbs)[method] ?? read;
  return {
    type: "resource",
    verb,
    resource,
    query,
    ...(namespace === undefined ? {} : { namespace }),
    ...(isObject ? { name } : {}),
  };
}

const objectVerbs: Readonly<Record<string, Verb>> = { PUT: "update", PATCH: "patch", DELETE: "delete" };
const collectionVerbs: Readonly<Record<string, Verb>> = { POST: "create" };

function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
