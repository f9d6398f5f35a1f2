import type { UpstreamNode } from "../apisix/types.ts";

/** What a node has besides its host; `cluster` and `name` as far as it names them. */
type Rest = readonly [port: number, weight: number, cluster?: string, name?: string];

/**
 * The nodes of an upstream in one string, equal exactly for equal nodes in equal order: a hundred thousand groups
 * remember theirs, and as objects they take ten times the memory. JSON: the hosts, and before a host what it has besides,
 * where that is not what the node before it has.
 */
export function nodeText(nodes: readonly UpstreamNode[]): string {
  const parts: (string | Rest)[] = [];
  let before: UpstreamNode | undefined;
  for (const node of nodes) {
    if (before === undefined || !isAlike(before, node)) parts.push(restOf(node));
    parts.push(node.host);
    before = node;
  }
  return JSON.stringify(parts);
}

/** The nodes of a `nodeText`. */
export function nodesOfText(text: string): UpstreamNode[] {
  const nodes: UpstreamNode[] = [];
  let rest: Rest = [0, 0];
  for (const part of JSON.parse(text) as (string | Rest)[]) {
    if (typeof part === "string") nodes.push(nodeOf(part, rest));
    else rest = part;
  }
  return nodes;
}

function isAlike(a: UpstreamNode, b: UpstreamNode): boolean {
  return (
    a.port === b.port &&
    a.weight === b.weight &&
    a.metadata?.cluster === b.metadata?.cluster &&
    a.metadata?.name === b.metadata?.name
  );
}

function restOf({ port, weight, metadata }: UpstreamNode): Rest {
  if (metadata === undefined) return [port, weight];
  const { cluster, name } = metadata;
  return name === undefined ? [port, weight, cluster] : [port, weight, cluster, name];
}

function nodeOf(host: string, [port, weight, cluster, name]: Rest): UpstreamNode {
  if (cluster === undefined) return { host, port, weight };
  return { host, port, weight, metadata: name === undefined ? { cluster } : { cluster, name } };
}
