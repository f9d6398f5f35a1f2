import { accessReview } from "./access-review.ts";
import { parseApiPath, type ApiTarget } from "./api-path.ts";
import type { EmbeddedCluster } from "./embedded-cluster.ts";
import type { RequestFault } from "./faults.ts";
import type { KubeObject } from "./kube-object.ts";
import { kubeStatus, type KubeStatus } from "./kube-status.ts";
import { groupDetail, objectStatus, qualifiedName, removedStatus } from "./object-status.ts";
import { isWritable, writeObject, writeVerbs } from "./object-write.ts";
import { listPage, pageNumber, type ListQuery } from "./list-answer.ts";
import { answer, truncatingSink, type ApiRequest, type ResponseSink } from "./response-sink.ts";
import { resourceRows } from "./resources.ts";
import { everything, parseFieldSelector, parseLabelSelector, type ObjectFilter } from "./selector.ts";
import { answerWatch } from "./watch-answer.ts";
import { jsonEncoder, type WireEncoder } from "./wire-encoder.ts";

type ResourceTarget = Extract<ApiTarget, { type: "resource" }>;

const version = {
  major: "1",
  minor: "37",
  gitVersion: "v1.37.2",
  gitCommit: "0000000000000000000000000000000000000000",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "go1.26.0",
  compiler: "gc",
  platform: "linux/amd64",
};

/**
 * Answers one request of an embedded cluster, whatever the transport. The order is a real server's: what is between
 * (faults), authentication (401), then, for resources, authorisation (403), then the content.
 */
export function handleRequest(cluster: EmbeddedCluster, request: ApiRequest, sink: ResponseSink): void {
  const target = parseApiPath(request.path, request.method);
  const place =
    target.type === "resource"
      ? {
          resource: target.resource,
          verb: target.verb,
          page: target.verb === "list" ? pageNumber(target.query) : 0,
        }
      : {};
  const { method, path } = request;
  cluster.traffic.requestArrived({ at: cluster.clock.now(), method, path, ...place });
  const { delay, fault } = cluster.faults.forRequest(place);
  const go = (): void => answerWithFault(cluster, request, target, sink, fault);
  if (delay === 0) {
    go();
    return;
  }
  const cancel = cluster.clock.after(delay, go);
  sink.onClose(cancel);
}

function answerWithFault(
  cluster: EmbeddedCluster,
  request: ApiRequest,
  target: ApiTarget,
  sink: ResponseSink,
  fault: RequestFault | undefined,
): void {
  switch (fault?.type) {
    case "hang":
      return;
    case "reset":
      sink.destroy();
      return;
    case "answer":
      answer(sink, fault.status, fault.body, { ...fault.headers, "content-type": fault.contentType });
      return;
    case "endless":
      endless(sink);
      return;
    case "truncate":
      answerTruly(cluster, request, target, truncatingSink(sink, fault.bytes, fault.clean));
      return;
    default:
      answerTruly(cluster, request, target, sink);
  }
}

/** A list whose first item has a name that never ends. */
function endless(sink: ResponseSink): void {
  sink.head(200, { "content-type": "application/json" });
  sink.write(Buffer.from('{"metadata":{"resourceVersion":"2000"},"items":[{"metadata":{"name":"'));
  const piece = Buffer.alloc(64 * 1024, "a");
  let over = false;
  sink.onClose(() => {
    over = true;
  });
  const more = (): void => {
    if (over) return;
    sink.write(piece);
    sink.onDrain(more);
  };
  more();
}

function answerTruly(
  cluster: EmbeddedCluster,
  request: ApiRequest,
  target: ApiTarget,
  sink: ResponseSink,
): void {
  const encoder =
    target.type === "resource"
      ? cluster.encoderFor(request.accept, resourceRows[target.resource])
      : jsonEncoder;
  const refuse = (status: KubeStatus): void =>
    answer(sink, status.code, encoder.status(status), { "content-type": encoder.contentType });
  // Anonymous may ask for these, as the default role system:public-info-viewer allows.
  if (target.type === "health") {
    answer(sink, 200, target.text, { "content-type": "text/plain; charset=utf-8" });
    return;
  }
  if (target.type === "version") {
    answer(sink, 200, JSON.stringify(version, undefined, 2), { "content-type": "application/json" });
    return;
  }
  const token = /^Bearer (.+)$/.exec(request.authorization)?.[1];
  if (token === undefined || !cluster.access.tokens.has(token)) return refuse(kubeStatus(401));
  if (target.type === "unknown") {
    if (target.groupServed) return refuse(kubeStatus(404, undefined, {}));
    answer(sink, 404, "404 page not found\n", { "content-type": "text/plain; charset=utf-8" });
    return;
  }
  if (target.type === "access review") {
    const review = accessReview(cluster, request.body ?? "");
    answer(sink, 201, JSON.stringify(review), { "content-type": "application/json" });
    return;
  }
  const isWrite = writeVerbs.has(target.verb);
  if (request.method !== "GET" && !(isWrite && isWritable(target.resource)))
    return refuse(kubeStatus(405, undefined, {}));
  if (cluster.access.forbidden.has(target.resource)) return refuse(forbidden(target));
  const answering = { cluster, request, target, sink, encoder, refuse };
  if (isWrite) answerWrite(answering);
  else if (target.verb === "get") answerGet(answering);
  else answerCollection(answering);
}

/** A request for a resource that may be answered truly. */
interface Answering {
  readonly cluster: EmbeddedCluster;
  readonly request: ApiRequest;
  readonly target: ResourceTarget;
  readonly sink: ResponseSink;
  readonly encoder: WireEncoder;
  readonly refuse: (status: KubeStatus) => void;
}

function answerGet({ cluster, target, sink, encoder, refuse }: Answering): void {
  const { resource, namespace, name = "" } = target;
  const object = cluster.store.get(resource, namespace === undefined ? name : `${namespace}/${name}`);
  if (object === undefined) return refuse(objectStatus(404, resource, name, "not found"));
  const body = encoder.object(resourceRows[resource], claimed(cluster, target, object));
  answer(sink, 200, body, { "content-type": encoder.contentType });
}

function answerWrite({ cluster, request, target, sink, encoder, refuse }: Answering): void {
  const { resource } = target;
  const written = writeObject(cluster.store, target, request);
  if ("refusal" in written) return refuse(written.refusal);
  const body =
    written.type === "removed"
      ? JSON.stringify(removedStatus(resource, written.object))
      : encoder.object(resourceRows[resource], written.object);
  answer(sink, written.type === "created" ? 201 : 200, body, { "content-type": encoder.contentType });
}

function claimed(cluster: EmbeddedCluster, target: ResourceTarget, object: KubeObject): KubeObject {
  const { identity } = cluster.faults;
  if (identity === undefined || target.resource !== "namespaces" || target.name !== "kube-system")
    return object;
  return { ...object, metadata: { ...object.metadata, uid: identity } };
}

function answerCollection({ cluster, request, target, sink, encoder, refuse }: Answering): void {
  const filter = filterOf(target);
  if (typeof filter !== "function") return refuse(filter);
  const { resource, query } = target;
  const selective = filter !== everything && (query.has("labelSelector") || query.has("fieldSelector"));
  const list: ListQuery = { resource, filter, selective, query };
  if (target.verb === "watch") {
    const { store, clock, random, faults, bookmarkInterval, traffic } = cluster;
    const opened = traffic.watchOpened.bind(traffic);
    const closed = traffic.watchClosed.bind(traffic);
    answerWatch(
      { store, clock, random, faults, encoder, bookmarkInterval, opened, closed },
      list,
      request.path,
      sink,
    );
    return;
  }
  const page = listPage(cluster.store, list);
  if ("code" in page) return refuse(page);
  sink.head(200, { "content-type": encoder.contentType, "cache-control": "no-cache, private" });
  for (const piece of encoder.list(resourceRows[resource], page.meta, page.items)) sink.write(piece);
  sink.end();
}

function filterOf(target: ResourceTarget): ObjectFilter | KubeStatus {
  const { namespace, query } = target;
  const labelText = query.get("labelSelector") ?? "";
  const labels = parseLabelSelector(labelText);
  if (labels === undefined)
    return kubeStatus(400, `unable to parse requirement: ${JSON.stringify(labelText)}`);
  const fieldText = query.get("fieldSelector") ?? "";
  const fields = parseFieldSelector(fieldText);
  if (fields === undefined) return kubeStatus(400, `field label not supported: ${fieldText}`);
  if (namespace === undefined && labels === everything && fields === everything) return everything;
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) && labels(object) && fields(object);
}

function forbidden(target: ResourceTarget): KubeStatus {
  const { resource, verb, namespace, name } = target;
  const { group } = resourceRows[resource];
  const user = "system:serviceaccount:apisix-translator:apisix-translator";
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const what = `cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  const named = name === undefined ? qualifiedName(resource) : `${qualifiedName(resource)} "${name}"`;
  const details = { ...(name === undefined ? {} : { name }), ...groupDetail(resource), kind: resource };
  return kubeStatus(403, `${named} is forbidden: User "${user}" ${what}`, details);
}
