import type { HttpEndpoint } from "./http-endpoint.ts";
import { errorReply, jsonReply } from "./http-reply.ts";
import type { Reply } from "./http-reply.ts";
import type { Observed } from "./observed.ts";
import { parseTarget } from "./target.ts";

/** Questions that wait for their turn: each walks over all groups. */
const mostQuestions = 16;

/** What `observe.listen` answers: it only reads (PRODUCT.md, "HTTP"). */
export function readEndpoints(observed: Observed): readonly HttpEndpoint[] {
  return [
    {
      path: "/livez",
      method: "GET",
      isProbe: true,
      answer: () => ({ status: 200, type: "text/plain; charset=utf-8", text: "ok\n" }),
    },
    {
      path: "/readyz",
      method: "GET",
      isProbe: true,
      answer() {
        const readiness = observed.ready();
        return jsonReply(readiness.ready ? 200 : 503, readiness);
      },
    },
    {
      path: "/metrics",
      method: "GET",
      answer: async () => ({
        ...{ status: 200, type: "text/plain; version=0.0.4; charset=utf-8" },
        text: await observed.metrics(),
      }),
    },
    { path: "/status", method: "GET", answer: async () => jsonReply(200, await observed.status()) },
    { path: "/explain", method: "GET", answer: explainEndpoint(observed) },
  ];
}

/** Nothing known is an empty list; an instance that cannot know answers 503, where it can with the leader's address. */
function explainEndpoint(observed: Observed): HttpEndpoint["answer"] {
  let questions = 0;
  // One at a time: many walks in slices would fill every turn of the event loop with their slices.
  let turn: Promise<unknown> = Promise.resolve();
  return async (query) => {
    const [text, ...more] = query.getAll("target");
    if (text === undefined || more.length > 0)
      return errorReply(400, "one target is required: /explain?target=…");
    const target = parseTarget(text);
    if (!target.ok) return errorReply(400, target.message);
    const refusal = unlessLeading(observed);
    if (refusal !== undefined) return refusal;
    if (questions >= mostQuestions)
      return { ...errorReply(429, "too many questions at once; ask again"), headers: { "retry-after": "1" } };
    questions++;
    try {
      const told = turn.then(() => observed.explain(target.target));
      turn = told.catch(() => undefined);
      const explanation = await told;
      const knowsNothing = explanation.declarations.length === 0 && explanation.foreign.length === 0;
      if (knowsNothing && observed.role() === "starting")
        return errorReply(503, "nothing is known of it yet: the first reconcile is not over");
      return jsonReply(200, explanation);
    } finally {
      questions--;
    }
  };
}

/** A 503 that names the leader, where this instance has nothing to say. */
export function unlessLeading(observed: Observed): Reply | undefined {
  const role = observed.role();
  if (role === "leader" || role === "starting") return undefined;
  const leader = observed.leader();
  const error =
    role === "standby" ? "this instance stands by; the leader answers" : "this instance is stopping";
  return errorReply(503, error, leader === undefined ? {} : { leader });
}
