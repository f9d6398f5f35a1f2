import fc from "fast-check";
import { responseError } from "../../../src/watch/api-status.ts";
import { statusBytes } from "../../protobuf/wire-parts.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";
import { bodyOf } from "./gateway.ts";

const input = fc.record({
  status: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(400, 401, 403, 404, 410, 429, 500, 503) },
    { weight: 1, arbitrary: fc.constantFrom(201, 204, 301, 307) },
  ),
  retryAfter: fc.constantFrom(undefined, 1000),
  type: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom(
        "application/json",
        "application/json; charset=utf-8",
        "application/vnd.kubernetes.protobuf",
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom("text/html", "") },
  ),
  said: fc.record({
    message: fc.constantFrom(
      "pods is forbidden",
      "gone",
      "",
      "ä💡\u0000\n",
      "Bearer abc.def",
      "x".repeat(1000),
    ),
    reason: fc.constantFrom("Forbidden", "Forbidden", "Gone", "Expired", ""),
    code: fc.constantFrom(0, 403, 410, 2 ** 31 - 1),
  }),
  length: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(70_000) }),
  damage: someDamage,
});

/** Answers of API servers that are no success: told, never believed to be one, and never with what looks like a secret. */
export const errorTarget = makeTarget(
  "Kubernetes errors",
  5,
  input,
  async ({ status, retryAfter, type, said, length, damage }): Promise<Verdict> => {
    const message = said.message + "z".repeat(length);
    const body = type.includes("protobuf")
      ? statusBytes({ ...said, message })
      : Buffer.from(JSON.stringify({ kind: "Status", ...said, message }));
    const error = await responseError({
      ...{ status, contentType: type, body: bodyOf(damaged(body, damage), 1 << 12) },
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
    const isStatus = error.code === "KUBE_STATUS";
    const isLongAsAllowed = error.message.length < 400;
    const wrong =
      isStatus !== status >= 400 || (isStatus && error.status !== status)
        ? `${status} is taken for ${error.code} ${error.status}`
        : !isLongAsAllowed || /\p{Cc}|\bBearer abc/u.test(error.message)
          ? `told: ${error.message}`
          : damage.length === 0 && isStatus && !mentions(error.message, type, said, length)
            ? `what it said is not told: ${error.message}`
            : undefined;
    return { passed: error.message.includes(": "), wrong };
  },
);

/** What a body of a type that is read says is told, unless it is too long to be a Status. */
function mentions(
  told: string,
  type: string,
  { reason, message }: { readonly reason: string; readonly message: string },
  length: number,
): boolean {
  const isRead = /json|protobuf/.test(type) && length === 0;
  return isRead
    ? told.includes(reason) && told.includes(message.slice(0, 5).trim().split(/\s|\0/)[0] ?? "")
    : !told.includes(": ");
}
