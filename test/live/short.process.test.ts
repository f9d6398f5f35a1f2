import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

async function testApisix(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env["PATH"], ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (output += String(piece)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

/** The embedded Admin API in the place of somebody's APISIX. */
describe("npm run test:apisix", { timeout: 120_000 }, () => {
  let server: AdminServer;

  beforeEach(async () => {
    server = await startAdminServer();
  });

  afterEach(() => server.close());

  const put = (path: string, body: object): void =>
    expect(server.admin.handle({ method: "PUT", path: `/apisix/admin/${path}`, body }).status).toBe(201);
  const variables = (): Record<string, string> => ({
    ...{ APISIX_ADMIN_URL: server.url, APISIX_ADMIN_KEY: server.adminKey },
  });
  /** Whatever is neither marked nor labelled as the tests' own. */
  const touched = (): readonly string[] => {
    const paths: string[] = [];
    server.admin.store.onChange(({ collection, id, before, after }) => {
      const labels = (after ?? before)?.value["labels"] as Readonly<Record<string, string>> | undefined;
      const isOurs = labels?.["translator/instance"] === "test-apisix" || labels?.["test-apisix"] === "true";
      if (!id.startsWith("test-apisix-") && !isOurs) paths.push(`${collection}/${id}`);
    });
    return paths;
  };

  it("without its variables, with a wrong key or with a host in use it says what to do and does nothing", async () => {
    const without = await testApisix({});
    expect(without.code).toBe(2);
    for (const name of ["APISIX_ADMIN_URL is not set", "APISIX_ADMIN_KEY is not set", "APISIX_PROXY_URL"])
      expect(without.output).toContain(name);
    const wrong = await testApisix({ ...variables(), APISIX_ADMIN_KEY: "not-the-key" });
    expect([wrong.code, wrong.output]).toEqual([2, expect.stringContaining("401")]);
    put("routes/mine", { uri: "/*", host: "shop.example.com", plugins: { cors: {} } });
    const paths = touched();
    const taken = await testApisix(variables());
    expect([taken.code, taken.output]).toEqual([2, expect.stringContaining("routes/mine")]);
    expect(paths).toEqual([]);
  });

  it("replays the contract and runs pipelines, touches nothing of others, and leaves nothing behind", async () => {
    put("upstreams/u1", { nodes: [] });
    put("routes/r1", { uri: "/mine", upstream_id: "u1" });
    // What a run left that was killed.
    put("upstreams/test-apisix-left", { nodes: [] });
    const paths = touched();
    const tests = [
      "contract.live",
      "pipeline.test",
      "bodies",
      "-t",
      "contract|restart writes nothing|as PRODUCT",
    ];
    const { code, output } = await testApisix(variables(), ...tests);
    // The embedded one has its own words in schemas, and pages without a footer.
    expect(output).toMatch(/The contract of APISIX 3\.18 here: 3\d\d exchanges \(\d\d skipped/);
    expect(output).not.toMatch(/(status|headers\S*): recorded/);
    expect(output).toContain("as it was: 2 objects");
    expect([code, paths]).toEqual([0, []]);
    const left = ["routes", "services", "plugin_configs", "upstreams"].flatMap((collection) =>
      server.admin.store.list(collection).map(({ id }) => id),
    );
    expect(left).toEqual(["r1", "u1"]);
  });

  it("lists how an APISIX differs, fails where the pipeline does, and cleans up all the same", async () => {
    server.admin.faults.add({
      ...{ methods: ["PUT"], resource: "routes" },
      fault: { kind: "reply", reply: { status: 201, headers: {}, body: '{"value":{}}' } },
    });
    const { code, output } = await testApisix(
      variables(),
      "contract.live",
      "bodies",
      "-t",
      "01-crud|as PRODUCT",
    );
    expect(output).toMatch(/answered otherwise than recorded:[^]*01-crud: route put create 201/);
    expect(output).toMatch(/\d+ not as they should be: /);
    expect(code).toBe(1);
    expect(server.admin.store.size("upstreams")).toBe(0);
  });
});
