import { heapReport } from "./heap-report.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import { errorReply, jsonReply } from "./http-reply.ts";
import type { Reply } from "./http-reply.ts";
import type { Observed } from "./observed.ts";
import { unlessLeading } from "./read-endpoints.ts";

const later = ["/accept", "/purge"] as const;

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
    ...later.map((path): HttpEndpoint => ({
      ...{ path, method: "POST", isLater: true },
      answer: () => errorReply(501, `POST ${path} comes with a later version`),
    })),
    { path: "/debug/heap", method: "GET", answer: () => jsonReply(200, heapReport()) },
  ];
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
