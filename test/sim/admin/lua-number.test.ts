import { expect, test } from "vitest";
import { EmbeddedAdmin } from "../../../src/sim/admin/embedded-admin.ts";
import { luaNumber } from "../../../src/sim/admin/lua-number.ts";
import { apisixNumbers } from "../../fixtures/apisix-numbers.ts";
import { VirtualClock } from "./virtual-clock.ts";

test.each(apisixNumbers)("%s stands as %s, as in APISIX 3.18", (sent, back) => {
  expect(luaNumber(sent) + 0).toBe(Number(back) + 0);
});

test("what is written with more digits than stand is answered, read and listed as it stands", () => {
  const admin = new EmbeddedAdmin({ clock: new VirtualClock() });
  const path = "/apisix/admin/routes/a";
  const plugins = '{"cors": {"x": [18446744073709551616, 0.30000000000000004, "18446744073709551616"]}}';
  const body = `{"uri": "/*", "upstream": {"nodes": {"10.0.0.1:80": 1}}, "plugins": ${plugins}}`;
  const put = admin.handle({ method: "PUT", path, body });
  expect(put.status).toBe(201);
  const stands = { cors: { x: [9.2233720368548e18, 0.3, "18446744073709551616"] } };
  expect(JSON.parse(put.body)).toMatchObject({ value: { plugins: stands } });
  expect(JSON.parse(admin.handle({ method: "GET", path }).body)).toMatchObject({
    value: { plugins: stands },
  });
  const list = admin.handle({ method: "GET", path: "/apisix/admin/routes" });
  expect(JSON.parse(list.body)).toMatchObject({ list: [{ value: { plugins: stands } }] });
});
