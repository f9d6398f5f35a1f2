import type { Translation } from "../src/desired/context.ts";
import { parseTemplate } from "../src/declare/template.ts";
import { Differ } from "../src/diff/differ.ts";
import { explain } from "../src/diff/explain.ts";
import { TranslatorError } from "../src/errors.ts";
import { unpackPod } from "../src/shard/pack.ts";
import type { FromShard, ShardOptions, ToShard } from "../src/shard/protocol.ts";

/** Answers one message; knows nothing of threads. Messages are handled in the order of their arrival. */
export type ShardHandler = (message: ToShard) => FromShard[];

export function createShardHandler(options: ShardOptions): ShardHandler {
  const translation = translationOf(options);
  const differ = new Differ(translation);
  return (message) => {
    const answer = answerTo(message, differ, translation);
    const { changes, needs } = differ.drain();
    const wants = needs.map((need): FromShard => ({ type: "need", ...need }));
    if (answer?.type === "done" || answer?.type === "settled") return [{ ...answer, changes }, ...wants];
    const said: FromShard[] = changes.length === 0 ? [] : [{ type: "changes", changes }];
    return [...said, ...(answer === undefined ? [] : [answer]), ...wants];
  };
}

function answerTo(message: ToShard, differ: Differ, translation: Translation): FromShard | undefined {
  switch (message.type) {
    case "batch":
      differ.take(
        message.entries.map((entry) => ({
          ...{ cluster: entry.cluster, namespace: entry.namespace, name: entry.name, at: entry.at },
          pod: entry.type === "apply" ? unpackPod(entry.packed) : undefined,
        })),
      );
      return { type: "done", seq: message.seq, changes: [] };
    case "settle":
      differ.settle(message.cluster);
      return { type: "settled", token: message.token, changes: [] };
    case "want":
      return differ.want(message.id, message.resource, message.pairs);
    case "explain": {
      const declarations = explain(message.query, differ.desired, differ.known, translation);
      return { type: "explained", token: message.token, declarations };
    }
    default:
      return tell(message, differ);
  }
}

type Telling = Exclude<ToShard, { type: "batch" | "settle" | "want" | "explain" }>;

function tell(message: Telling, differ: Differ): undefined {
  switch (message.type) {
    case "cluster":
      differ.cluster(message.cluster, message.uid);
      return;
    case "unsettle":
      differ.unsettle(message.cluster);
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

function translationOf(options: ShardOptions): Translation {
  const template = options.defaultHost === undefined ? undefined : parseTemplate(options.defaultHost);
  if (template !== undefined && !template.ok) throw new TranslatorError("SHARD_PROTOCOL", template.message);
  return {
    instance: options.instance,
    defaultHost: template?.template,
    defaultUri: options.defaultUri,
    plugins: new Set(options.plugins),
    clusters: new Map(options.clusters.map((cluster) => [cluster.name, cluster])),
  };
}
