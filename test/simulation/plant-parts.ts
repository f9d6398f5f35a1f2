import { managedByLabel, managedByValue } from "../../src/apisix/labels.ts";
import type { AdminResponse, AdminTransport } from "../../src/apisix/transport.ts";
import type { Controller } from "../../src/controller.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import type { KubeRequest, KubeResponse } from "../../src/watch/transport.ts";
import type { Body } from "./oracle/ownership.ts";
import type { Plant } from "./plant.ts";

/** What planted bugs are made of. */

export function atAdmin(change: (send: AdminTransport) => AdminTransport): NonNullable<Plant["parts"]> {
  return (parts) => ({ ...parts, admin: change(parts.admin) });
}

async function textOf({ body }: AdminResponse): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

async function* piecesOf(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text, "utf8");
}

/** Whatever stands under an id of ours is read with the labels that ours had when it was last written. */
export function blindToLabels(send: AdminTransport): AdminTransport {
  const labels = new Map<string, unknown>();
  const relabel = (value: Body): Body => {
    const ours = labels.get(String(value["id"]));
    const theirs = value["labels"] as Record<string, unknown> | undefined;
    return ours === undefined || theirs?.[managedByLabel] === managedByValue
      ? value
      : { ...value, labels: ours };
  };
  return async (request) => {
    const id = request.path.split("/")[4];
    if (request.method === "PUT" && id !== undefined)
      labels.set(id, (JSON.parse(request.body ?? "{}") as Body)["labels"]);
    const response = await send(request);
    if (request.method !== "GET" || response.status !== 200) return response;
    const text = await textOf(response);
    return { ...response, body: piecesOf(relabelled(text, relabel)) };
  };
}

function relabelled(text: string, relabel: (value: Body) => Body): string {
  try {
    const answer = JSON.parse(text) as { value?: Body; list?: { value: Body }[] };
    const { value, list } = answer;
    if (Array.isArray(list))
      return JSON.stringify({
        ...answer,
        list: list.map((item) => ({ ...item, value: relabel(item.value) })),
      });
    return value === undefined ? text : JSON.stringify({ ...answer, value: relabel(value) });
  } catch {
    // Spoiled on the way: handed on as it is.
    return text;
  }
}

/** A list that fails is taken for an empty one. */
export function unknownIsEmpty(connection: KubeConnection): KubeConnection {
  const send = async (request: KubeRequest): Promise<KubeResponse> => {
    const isList = request.path.includes("/pods?") && request.path.includes("labelSelector");
    const isWatch = request.path.includes("watch=true");
    if (!isList || isWatch) return connection(request);
    const response = await connection(request).catch((error: unknown) => {
      if (request.signal.aborted) throw error;
      return undefined;
    });
    if (response?.status === 200) return response;
    const empty = '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}';
    return { status: 200, contentType: "application/json", body: piecesOf(empty) };
  };
  return Object.assign(send, { close: () => connection.close() });
}

/** Claims stand on what they want only, not on what stands. */
export function freesTooEarly(writer: Controller["writer"]): void {
  const { claims } = writer;
  const want = claims.want.bind(claims);
  claims.want = (claim) => {
    want(claim);
    const wanted = new Set(claim.pairs);
    const stands = writer.records.get(claim.id)?.route?.shape;
    if (stands === undefined) return;
    const keeps = stands.hosts.some((host) => stands.uris.some((uri) => wanted.has(`${host} ${uri}`)));
    if (!keeps) claims.stands(claim.id, claim.identity, null);
    want(claim);
  };
}

/** What stands of a cluster that left is deleted. */
export function emptiesWhatLeaves({ intake, writer }: Controller): void {
  intake.visibility.of = () => true;
  writer.words.leave = (cluster) => {
    for (const { id, identity } of [...writer.records.ofCluster(cluster)])
      writer.words.take({ id, identity, counts: {}, stand: { type: "absent", grace: false, cause: "gone" } });
  };
}

/** Each route gets, beside its reference, the nodes that its upstream had when it was last written. */
export function withInlineNodes(send: AdminTransport): AdminTransport {
  const nodes = new Map<string, unknown>();
  return (request) => {
    const [, , , collection, id = ""] = request.path.split("/");
    if (request.method !== "PUT") return send(request);
    const body = JSON.parse(request.body ?? "{}") as Body;
    if (collection === "upstreams") nodes.set(id, body["nodes"]);
    if (collection === "upstreams" || !nodes.has(id)) return send(request);
    const { upstream_id: _reference, ...rest } = body;
    const upstream = { type: "roundrobin", nodes: nodes.get(id) };
    return send({ ...request, body: JSON.stringify({ ...rest, upstream }) });
  };
}

/** One bad object, and nothing more is heard of its cluster. */
export function stumbles(intake: Controller["intake"]): void {
  const deaf = new Set<string>();
  const take = intake.take.bind(intake);
  intake.take = (event) => {
    if (event.type === "apply" && isUnreadable(event.wire.value())) deaf.add(event.cluster);
    if (!deaf.has(event.cluster)) take(event);
  };
}

function isUnreadable(value: unknown): boolean {
  const { metadata } = value as { metadata?: { annotations?: Record<string, string> } };
  const text = metadata?.annotations?.["apisix-translator.io/routes"] ?? "[]";
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
