import { isDnsLabel } from "../declare/dns-label.ts";
import { heapReport } from "./heap-report.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import { errorReply, jsonReply } from "./http-reply.ts";
import type { Reply } from "./http-reply.ts";
import type { Decision, Observed } from "./observed.ts";
import { unlessLeading } from "./read-endpoints.ts";

/** What `observe.admin` does: it changes things (PRODUCT.md, "HTTP"). */
export function adminEndpoints(observed: Observed): readonly HttpEndpoint[] {
  return [
    { path: "/guard/approve", method: "POST", answer: (query) => approve(query, observed) },
    {
      path: "/audit",
      method: "POST",
      async answer() {
        const refusal = unlessLeading(observed);
        if (refusal !== undefined) return refusal;
        const report = await observed.audit();
        return jsonReply(report.ok ? 200 : 502, report);
      },
    },
    {
      path: "/pause",
      method: "POST",
      answer: async () => unlessLeading(observed) ?? (await paused(true, observed)),
    },
    {
      path: "/resume",
      method: "POST",
      answer: async () => unlessLeading(observed) ?? (await paused(false, observed)),
    },
    {
      path: "/accept",
      method: "POST",
      answer: (query) => decided("/accept", query, observed, (cluster) => observed.accept(cluster)),
    },
    {
      path: "/purge",
      method: "POST",
      answer: (query) => decided("/purge", query, observed, (cluster) => observed.purge(cluster)),
    },
    { path: "/debug/heap", method: "GET", answer: () => jsonReply(200, heapReport()) },
  ];
}

/** About one cluster. */
async function decided(
  path: string,
  query: URLSearchParams,
  observed: Observed,
  decide: (cluster: string) => Promise<Decision>,
): Promise<Reply> {
  const [cluster, ...more] = query.getAll("cluster");
  if (cluster === undefined || !isDnsLabel(cluster) || more.length > 0)
    return errorReply(400, `the name of one cluster is required: POST ${path}?cluster=…`);
  const refusal = unlessLeading(observed) ?? unlessWriting(observed);
  if (refusal !== undefined) return refusal;
  const decision = await decide(cluster);
  if (!decision.ok) return errorReply(decision.status, decision.error);
  const { ok: _ok, ...told } = decision;
  return jsonReply(200, told);
}

/** Whoever cannot write decides nothing: it would say of what stands as before that it is gone. */
function unlessWriting(observed: Observed): Reply | undefined {
  const { shadow, paused } = observed.ready();
  if (shadow)
    return errorReply(
      409,
      "this instance is a shadow (run --shadow) and writes nothing to APISIX: ask the one that leads, on its observe.admin",
    );
  if (paused)
    return errorReply(
      409,
      "this instance is paused and writes nothing to APISIX: POST /resume to its observe.admin, then ask again",
    );
  return undefined;
}

/** Asking again changes nothing. */
async function paused(on: boolean, observed: Observed): Promise<Reply> {
  if (on) await observed.pause();
  else observed.resume();
  return jsonReply(200, { paused: on });
}

function approve(query: URLSearchParams, observed: Observed): ReturnType<HttpEndpoint["answer"]> {
  const [batch, ...more] = query.getAll("batch");
  if (batch === undefined || batch === "" || more.length > 0)
    return errorReply(400, "one batch is required, as /status shows it: POST /guard/approve?batch=…");
  const refusal = unlessLeading(observed);
  if (refusal !== undefined) return refusal;
  const released = observed.approve(batch);
  return released === undefined
    ? errorReply(404, "there is no such batch; /status shows the one that is held now")
    : jsonReply(200, { released });
}
