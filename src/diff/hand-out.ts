import type { MemberCluster, Standing } from "../apisix/types.ts";
import type { Body } from "../desired/bodies.ts";
import type { Group, View } from "../desired/group.ts";
import type { BuiltBody, Known } from "../shard/protocol.ts";
import type { Contents } from "./contents.ts";
import { isStanding } from "./contents.ts";
import type { Tracked } from "./tracked.ts";

/**
 * The body of an upstream that the writer would ask for at once: of a plain group that stands, with no earlier body on its
 * way. What turns out to stand already is no change.
 */
export function unaskedBody(
  group: Group,
  view: View,
  tracked: Tracked,
  known: Known | undefined,
  contents: Contents,
): Body | undefined {
  const { upstream, route, told, isPlain, awaitsUpstream, oversize } = tracked;
  if (view.type !== "live" || view.bare || !isPlain || oversize !== undefined) return undefined;
  if (upstream.state !== "dirty" || told.upstream || awaitsUpstream) return undefined;
  if (known?.upstream === undefined || known.route === undefined || route.state !== "clean") return undefined;
  const body = contents.upstream(group, view, tracked);
  if (body === undefined || tracked.oversize !== undefined) return undefined;
  if (!isStanding(known.upstream, body)) return body;
  Object.assign(upstream, { state: "clean", digest: body.digest });
  tracked.at = undefined;
  return undefined;
}

/** An upstream's body is on its way to the writer from now on. */
export function handOut(
  id: string,
  { text, digest }: Body,
  view: View | undefined,
  tracked: Tracked,
  members: readonly MemberCluster[] | undefined,
): BuiltBody {
  Object.assign(tracked.upstream, { state: "sent", digest });
  tracked.awaitsUpstream = true;
  tracked.told.upstream = false;
  tracked.sent = { digest, settings: view?.type === "live" ? view.settings : undefined };
  const about = { id, resource: "upstream", body: text, digest, nodes: nodeCount(view) } as const;
  return { type: "body", ...about, ...(members === undefined ? {} : { members }) };
}

/**
 * Whether what stands is the body that was handed out last; its settings are accepted then. By the digest of that body:
 * what was built since may be other content, as of settings that are kept.
 */
export function settleSent(group: Group, standing: Standing | undefined, tracked: Tracked): boolean {
  const { sent } = tracked;
  if (sent === undefined || standing?.digest !== sent.digest) return false;
  if (sent.settings !== undefined) group.accepted = sent.settings;
  tracked.sent = undefined;
  return true;
}

function nodeCount(view: View | undefined): number {
  return view?.type === "live" || view?.type === "frozen" ? view.nodes.length : 0;
}
