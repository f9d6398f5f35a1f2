import type { Cancel, Clock, Random } from "../../runtime.ts";
import type { ClusterStore } from "./cluster-store.ts";
import type { Faults } from "./faults.ts";
import { kubeStatus, type KubeStatus } from "./kube-status.ts";
import { parseCount, type ListQuery } from "./list-answer.ts";
import { OpenWatch, shownObject } from "./open-watch.ts";
import { answer, type ResponseSink } from "./response-sink.ts";
import { resourceRows, type ResourceRow } from "./resources.ts";
import type { WireEncoder } from "./wire-encoder.ts";

export interface WatchContext {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Faults;
  readonly encoder: WireEncoder;
  /** Milliseconds between bookmarks. */
  readonly bookmarkInterval: number;
  /** Called once with a watch that was answered and has sent what stood. */
  opened(watch: OpenWatch): void;
  closed(watch: OpenWatch): void;
}

const initialEventsEnd = { "k8s.io/initial-events-end": "true" };

/** API servers end a watch without `timeoutSeconds` after 30 to 60 minutes. */
const defaultTimeoutSeconds = 1800;

/** Answers a watch: from a revision, from what stands now, or as WatchList. */
export function answerWatch(
  context: WatchContext,
  request: ListQuery,
  path: string,
  sink: ResponseSink,
): void {
  const { store, encoder } = context;
  const refusal = refuse(context, request.query);
  if (refusal !== undefined) {
    answer(sink, refusal.code, encoder.status(refusal), { "content-type": encoder.contentType });
    return;
  }
  const from = parseCount(request.query.get("resourceVersion")) ?? 0;
  const initial = request.query.get("sendInitialEvents") === "true";
  // A restored store: the server waits for a revision to come, without a byte (FACTS-KUBERNETES.md, W7).
  if (from > store.revision)
    waitForRevision(store, from, sink, () => begin(context, request, path, sink, from, initial));
  else begin(context, request, path, sink, from, initial);
}

function refuse(context: WatchContext, query: URLSearchParams): KubeStatus | undefined {
  const prefix = `ListOptions.meta.k8s.io "" is invalid: `;
  const match = query.get("resourceVersionMatch") ?? "";
  if (parseCount(query.get("resourceVersion")) === undefined) {
    return kubeStatus(
      400,
      `Invalid value: "${query.get("resourceVersion")}": strconv.ParseUint: invalid syntax`,
    );
  }
  if (query.has("sendInitialEvents")) {
    const { watchList } = context.faults;
    if (watchList !== true) {
      const code = watchList === false ? 422 : watchList;
      const why = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled";
      return kubeStatus(code, `${prefix}sendInitialEvents: Forbidden: ${why}`);
    }
    if (match === "NotOlderThan") return undefined;
    const why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    return kubeStatus(422, `${prefix}resourceVersionMatch: Forbidden: ${why}`);
  }
  if (match === "") return undefined;
  const why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
  return kubeStatus(422, `${prefix}resourceVersionMatch: Forbidden: ${why}`);
}

function waitForRevision(store: ClusterStore, from: number, sink: ResponseSink, run: () => void): void {
  const stop = store.subscribe({
    event() {
      if (store.revision < from) return;
      stop();
      run();
    },
    reset() {
      stop();
      sink.destroy();
    },
  });
  sink.onClose(stop);
}

function begin(
  context: WatchContext,
  request: ListQuery,
  path: string,
  sink: ResponseSink,
  from: number,
  initial: boolean,
): void {
  const { resource, filter, query } = request;
  const { encoder, store } = context;
  const row: ResourceRow = resourceRows[resource];
  const missed = from === 0 || initial ? undefined : store.kind(resource).since(from);
  sink.head(200, { "content-type": encoder.watchContentType, "cache-control": "no-cache, private" });
  const watch = new OpenWatch({ resource, path, filter, sink, encoder, faults: context.faults });
  if (from === 0 || initial) {
    for (const object of store.kind(resource).at(store.revision) ?? []) {
      if (filter(object)) watch.frame(encoder.frame("ADDED", row, object));
    }
  } else if (missed === undefined) {
    watch.fail(410, `too old resource version: ${from} (${store.revision})`);
    return;
  } else {
    for (const event of missed)
      watch.event(event, (type) => encoder.frame(type, row, shownObject(type, event)));
  }
  const bookmarks = query.get("allowWatchBookmarks") === "true";
  if (initial && bookmarks) watch.bookmark(store.revision, initialEventsEnd);
  follow(context, watch, query, bookmarks, sink);
}

function follow(
  context: WatchContext,
  watch: OpenWatch,
  query: URLSearchParams,
  bookmarks: boolean,
  sink: ResponseSink,
): void {
  const { clock, store, random, bookmarkInterval } = context;
  const asked = parseCount(query.get("timeoutSeconds")) ?? 0;
  const seconds = asked > 0 ? asked : defaultTimeoutSeconds * (1 + random());
  let nextBookmark: Cancel = () => {};
  const bookmarkLater = (): Cancel =>
    clock.after(bookmarkInterval, () => {
      watch.bookmark(store.revision);
      nextBookmark = bookmarkLater();
    });
  const timeout = clock.after(seconds * 1000, () => watch.end());
  if (bookmarks) nextBookmark = bookmarkLater();
  sink.onClose(() => {
    timeout();
    nextBookmark();
    context.closed(watch);
  });
  context.opened(watch);
}
