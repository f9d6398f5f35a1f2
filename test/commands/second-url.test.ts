import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../src/commands/cli.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import { find, world, wrongs } from "./doctor-world.ts";
import { serve } from "./explain-harness.ts";
import { recordedIo } from "./recorded-io.ts";

/** Not an Admin API. */
const forbidding = (): Promise<string> =>
  serve((_, response) =>
    response.writeHead(403, { "content-type": "text/html" }).end("<html>Forbidden</html>"),
  );

it("plan goes by the URL of the Admin API that works, also where it is not the first", async () => {
  const fleet = await startFleet({ clusters: ["east"] });
  const gateway = await startAdminServer();
  onTestFinished(async () => void (await Promise.all([fleet.close(), gateway.close()])));
  const { kubeconfigPath: kubeconfig } = fleet.cluster("east");
  const adminUrls = [await forbidding(), gateway.url];
  const settings = { clusters: [{ name: "east", kubeconfig }], gateway: { adminUrls } };
  const files = { "c.yaml": JSON.stringify({ ...settings, leader: { enabled: false } }) };
  const { io } = recordedIo({ files, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
  expect(await runCommand(["plan", "--config", "c.yaml"], "1.2.3", io)).toBe(0);
});

it("doctor finds fault with a URL that is of no use, and reads the objects by the one that works", async () => {
  const { gateway, run } = await world("east");
  const other = await forbidding();
  const { checks } = await run({ gateway: { adminUrls: [other, gateway.url] } });
  expect(wrongs(checks)).toEqual([`${other}/key`]);
  expect(find(checks, "APISIX", "objects")?.ok).toBe(true);
});
