import { expect, it } from "vitest";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { NotSent } from "../../src/apisix/not-sent.ts";
import type { AdminRequest, AdminResponse } from "../../src/apisix/transport.ts";
import { TranslatorError } from "../../src/errors.ts";

/** What is asked, and what becomes of it when it is answered so. */
async function checked(status: number, text: string | Error, server = "APISIX/3.18.0") {
  const asked: AdminRequest[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(new TextEncoder().encode(String(text)));
  }
  const transport = (request: AdminRequest): Promise<AdminResponse> => {
    asked.push(request);
    if (text instanceof Error) return Promise.reject(text);
    return Promise.resolve({ status, contentType: "application/json", server, body: body() });
  };
  const client = new AdminClient({ transport, timeout: 5000 });
  return { result: await client.check("route", '{"uri":"/"}'), asked };
}

it("asks APISIX for its judgement of the body as it is", async () => {
  const { asked, result } = await checked(200, "{}");
  expect(asked).toEqual([
    {
      method: "POST",
      path: "/apisix/admin/configs/validate",
      body: '{"routes":[{"uri":"/"}]}',
      timeout: 5000,
    },
  ]);
  expect(result).toEqual({ type: "done", status: 200 });
});

it("what would be refused is refused in APISIX's own words", async () => {
  const error = "failed to check the configuration of plugin limit-count err: …";
  const said = { error_msg: "Configuration validation failed", errors: [{ resource_type: "routes", error }] };
  const { result } = await checked(400, JSON.stringify(said));
  expect(result).toEqual({ type: "refused", status: 400, message: error });
});

it("a refusal that gives no reason is told so", async () => {
  const { result } = await checked(400, '{"errors":[{"error":7}]}');
  expect(result).toEqual({ type: "refused", status: 400, message: "it gives no reason" });
});

it.each([
  ["an APISIX before 3.17", 404, '{"error_msg":"Unsupported resource type: configs"}'],
  ["one that wants something else", 400, '{"error_msg":"invalid request body: empty request body"}'],
  ["a proxy that lets no POST through", 403, "<html>"],
  ["another one", 405, "<html>"],
  ["a server that knows no POST", 501, "<html>"],
  ["a proxy's page", 200, "<html>"],
  ["an answer that names no fault", 400, '{"errors":[],"error_msg":"no"}'],
])("%s does not say (%i)", async (_who, status, text) => {
  expect((await checked(status, text)).result).toEqual({ type: "unable" });
});

it.each([429, 500, 502, 503])("%i is no judgement, and held against nobody else", async (status) => {
  expect((await checked(status, "<html>")).result).toMatchObject({ type: "retry", scope: "id", status });
});

it("one without an answer leaves nothing uncertain", async () => {
  const { result } = await checked(0, new TranslatorError("ADMIN_CONNECTION", "reset"));
  expect(result).toEqual({ type: "retry", scope: "id", reason: "reset" });
});

it("where nobody is reached, nothing else will do better", async () => {
  const cause = new NotSent(undefined);
  const { result } = await checked(0, new TranslatorError("ADMIN_CONNECTION", "refused", { cause }));
  expect(result).toEqual({ type: "retry", scope: "gateway", reason: "refused" });
});
