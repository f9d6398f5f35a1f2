import type { Translation } from "../src/desired/context.ts";
import { newFeeds, type Feeds } from "../src/desired/feeds.ts";
import { parseTemplate } from "../src/declare/template.ts";
import { HostPolicy } from "../src/desired/host-policy.ts";
import { Differ } from "../src/diff/differ.ts";
import { explain } from "../src/diff/explain.ts";
import type { ObjectChange } from "../src/diff/differ.ts";
import type { Working } from "../src/diff/judge.ts";
import { TranslatorError } from "../src/errors.ts";
import type { Kept } from "../src/filter/kept.ts";
import { unpackNode, unpackSource } from "../src/shard/pack.ts";
import type { Change } from "../src/shard/change.ts";
import type { Configured, FromShard, GonePart, ShardOptions, ToShard } from "../src/shard/protocol.ts";
import { sourceOf } from "../src/store/source-kinds.ts";

const changesAtOnce = 256;

/** Answers one message; knows nothing of threads. Messages are handled in the order of their arrival. */
export type ShardHandler = (message: ToShard) => FromShard[];

export function createShardHandler(options: ShardOptions, working?: Working): ShardHandler {
  const differ = new Differ(translationOf(options, newFeeds()), working);
  return (message) => {
    const answer = answerTo(message, differ);
    const { changes: all, needs, bodies, wishes, parts } = differ.drain();
    const { before, changes } = inPortions(all);
    const wants = needs.map((need): FromShard => ({ type: "need", ...need }));
    const nodes = wishes.map((wish): FromShard => ({ type: "nodes", ...wish }));
    const first = [...nodes, ...inPartPortions(parts), ...before];
    if (answer?.type === "done")
      return [...first, { ...answer, changes, ...(bodies.length === 0 ? {} : { bodies }) }, ...wants];
    if (answer?.type === "settled") return [...first, { ...answer, changes }, ...wants];
    const said: FromShard[] = changes.length === 0 ? [] : [{ type: "changes", changes }];
    return [...first, ...said, ...(answer === undefined ? [] : [answer]), ...wants];
  };
}

/** What is said of a whole cluster goes in several messages, for each is heard in one turn of the main thread. */
function inPortions(all: readonly Change[]): {
  readonly before: readonly FromShard[];
  readonly changes: readonly Change[];
} {
  const before: FromShard[] = [];
  let at = 0;
  for (; all.length - at > changesAtOnce; at += changesAtOnce)
    before.push({ type: "changes", changes: all.slice(at, at + changesAtOnce) });
  return { before, changes: at === 0 ? all : all.slice(at) };
}

function inPartPortions(parts: readonly GonePart[]): FromShard[] {
  const portions: FromShard[] = [];
  for (let at = 0; at < parts.length; at += changesAtOnce)
    portions.push({ type: "parts", parts: parts.slice(at, at + changesAtOnce) });
  return portions;
}

function answerTo(message: ToShard, differ: Differ): FromShard | undefined {
  switch (message.type) {
    case "batch":
      differ.take(message.entries.flatMap(objectChange), message.bodies);
      return { type: "done", seq: message.seq, changes: [] };
    case "settle":
      differ.clusters.settle(message.cluster, message.kind);
      return { type: "settled", token: message.token, changes: [] };
    case "want":
      return differ.want(message.id, message.resource, message.pairs);
    case "explain": {
      const { desired, known, surroundings, goneParts } = differ;
      const declarations = explain(message.query, desired, known, surroundings, goneParts);
      return { type: "explained", token: message.token, declarations };
    }
    default:
      return tell(message, differ);
  }
}

function objectChange(entry: Kept<Uint8Array>): ObjectChange[] {
  const { cluster, namespace, name, service = "", at } = entry;
  const packed = entry.type === "apply" ? entry.packed : undefined;
  switch (entry.kind) {
    case "endpointslices":
      return [{ type: "slice", cluster, namespace, service, name, packed, at }];
    case "nodes":
      return [{ type: "node", cluster, name, node: packed && unpackNode(packed), at }];
    default: {
      const kind = sourceOf(entry.kind);
      if (kind === undefined) return [];
      const object = packed && unpackSource(entry.kind, packed);
      return [{ type: "source", cluster, kind, namespace, name, object, at }];
    }
  }
}

type Telling = Exclude<ToShard, { type: "batch" | "settle" | "want" | "explain" }>;

function tell(message: Telling, differ: Differ): undefined {
  switch (message.type) {
    case "cluster":
      differ.clusters.identified(message.cluster, message.uid);
      return;
    case "configure":
      differ.clusters.configure(translationOf(message.options, differ.desired.translation.feeds));
      return;
    case "doubt":
      differ.clusters.doubt(message.cluster, message.kind);
      return;
    case "letGo":
      differ.clusters.letGo(message.id, message.cluster);
      return;
    case "unsettle":
      differ.clusters.unsettle(message.cluster, message.kind);
      return;
    case "purge":
      differ.clusters.purge(message.cluster);
      return;
    case "known":
      differ.takeKnown(message.entries);
      return;
    case "forget":
      differ.forget(message.ids);
      return;
    case "kept":
      differ.takeKept(message.id, message.upstream, message.route);
  }
}

function translationOf(options: Configured, feeds: Feeds): Translation {
  const template = options.defaultHost === undefined ? undefined : parseTemplate(options.defaultHost);
  if (template !== undefined && !template.ok) throw new TranslatorError("SHARD_PROTOCOL", template.message);
  return {
    instance: options.instance,
    defaultHost: template?.template,
    defaultUri: options.defaultUri,
    plugins: new Set(options.plugins),
    hosts: new HostPolicy(options.hosts ?? []),
    nodePort: options.nodePort,
    feeds,
    clusters: new Map(options.clusters.map((cluster) => [cluster.name, cluster])),
    fleetRefusal:
      options.by === "cluster"
        ? 'share is "fleet", and shards.by is "cluster": a shard sees one cluster; shards.by must be "service"'
        : undefined,
    key: keyOf(options),
  };
}

function keyOf(options: Configured): string {
  const { shard: _shard, clusters: _clusters, ...rest }: Configured & { shard?: number } = options;
  return JSON.stringify(rest);
}
