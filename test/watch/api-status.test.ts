import { describe, expect, test } from "vitest";
import { printable, responseError, statusError } from "../../src/watch/api-status.ts";
import type { KubeResponse } from "../../src/watch/transport.ts";

function response(status: number, body: string, contentType = "application/json"): KubeResponse {
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from(body);
  }
  return { status, contentType, body: chunks() };
}

const forbidden = JSON.stringify({
  kind: "Status",
  reason: "Forbidden",
  message: "pods is forbidden",
  code: 403,
});

describe("responseError", () => {
  test("says what the server's Status says", async () => {
    expect(await responseError(response(403, forbidden))).toMatchObject({
      code: "KUBE_STATUS",
      status: 403,
      message: "the server answered 403: Forbidden: pods is forbidden",
    });
  });

  test("says once what reason and message both say", async () => {
    const unauthorized = JSON.stringify({ kind: "Status", reason: "Unauthorized", message: "Unauthorized" });
    expect(await responseError(response(401, unauthorized))).toMatchObject({
      message: "the server answered 401: Unauthorized",
    });
  });

  test.each([
    ["HTML", response(502, "<html>proxy</html>", "text/html")],
    ["JSON that is no Status", response(502, '{"message":"proxy"}')],
    ["what is not JSON", response(502, "{")],
    ["more than 64 KB", response(502, `{"kind":"Status","message":"${"x".repeat(70_000)}"}`)],
  ])("says only the status for %s", async (_what, answer) => {
    expect(await responseError(answer)).toMatchObject({ status: 502, message: "the server answered 502" });
  });

  test("carries Retry-After", async () => {
    expect(await responseError({ ...response(429, ""), retryAfter: 3_000 })).toMatchObject({
      retryAfter: 3_000,
    });
  });

  test.each([204, 301, 302, 307])("calls %d what no API server answers", async (status) => {
    expect(await responseError(response(status, ""))).toMatchObject({
      code: "KUBE_PROTOCOL",
      status: undefined,
    });
  });
});

describe("statusError", () => {
  test.each([
    [{ kind: "Status", code: 410, reason: "Expired" }, 410],
    [{ kind: "Status", reason: "Gone" }, 410],
    [{ kind: "Status", reason: "Expired" }, 410],
    [{ kind: "Status", code: 200 }, 500],
    [{ kind: "Status", code: "410" }, 500],
    [null, 500],
    ["text", 500],
  ])("%j → %d", (value, status) => {
    expect(statusError(value)).toMatchObject({ code: "KUBE_STATUS", status });
  });

  test("carries the seconds after which the server wants to be asked again", () => {
    const busy = { kind: "Status", code: 429, details: { retryAfterSeconds: 2 } };
    expect(statusError(busy)).toMatchObject({ retryAfter: 2_000 });
  });
});

test("printable cuts, keeps to one line and masks what looks like a credential", () => {
  expect(printable("a\r\nb\u0000c")).toBe("a b c");
  expect(printable("x".repeat(10_000))).toHaveLength(301);
  expect(printable("sent Authorization: Bearer abc.DEF-123 to me")).toBe(
    "sent Authorization: Bearer [secret] to me",
  );
  expect(printable("token eyJhbGciOi.eyJpc3Mi.sig is bad")).toBe("token [secret] is bad");
});
