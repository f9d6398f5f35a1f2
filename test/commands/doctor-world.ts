import { expect, onTestFinished } from "vitest";
import { sealed } from "../../src/apisix/canonical.ts";
import { idOf, labelsOf } from "../../src/apisix/identity.ts";
import { memberLabelPrefix } from "../../src/apisix/labels.ts";
import { runCommand } from "../../src/commands/cli.ts";
import type { Check } from "../../src/doctor/check.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import type { Fleet } from "../../src/sim/kubernetes/fleet.ts";
import { recordedIo } from "./recorded-io.ts";

interface World {
  readonly fleet: Fleet;
  readonly gateway: AdminServer;
  /** `settings`: of the configuration file; `key`: the admin key. */
  run(
    settings?: object,
    options?: { readonly text?: boolean; readonly key?: string },
  ): Promise<{ code: number; out: string; err: string; checks: readonly Check[] }>;
}

/** Clusters of these names and an Admin API until the end of the test, and `doctor` that looks at them. */
export async function world(...names: string[]): Promise<World> {
  const fleet = await startFleet({ clusters: names });
  const gateway = await startAdminServer();
  onTestFinished(async () => void (await Promise.all([fleet.close(), gateway.close()])));
  const clusters = fleet.clusters.map(({ name, kubeconfigPath }) => ({ name, kubeconfig: kubeconfigPath }));
  return {
    fleet,
    gateway,
    async run(settings = {}, { text = false, key = gateway.adminKey } = {}) {
      const leader = { cluster: names[0] };
      const file = { clusters, gateway: { adminUrls: [gateway.url] }, leader, ...settings };
      const files = { "c.yaml": JSON.stringify(file) };
      const { io, out, err } = recordedIo({ files, env: { APISIX_ADMIN_KEY: key } });
      const code = await runCommand(
        ["doctor", "--config", "c.yaml", ...(text ? [] : ["--output", "json"])],
        "1.2.3",
        io,
      );
      const { checks = [] } = text ? {} : (JSON.parse(out()) as { checks: Check[] });
      return { code, out: out(), err: err(), checks };
    },
  };
}

/** `target/check`, of those that are wrong. */
export const wrongs = (checks: readonly Check[]): string[] =>
  checks.filter(({ ok }) => !ok).map(({ target, check }) => `${target}/${check}`);

/** The result of this check. */
export const find = (checks: readonly Check[], target: string, check: string): Check | undefined =>
  checks.find((each) => each.target === target && each.check === check);

/** An upstream of ours for a Pod of this cluster, as an earlier `run` left it. */
export async function stand(gateway: AdminServer, cluster: string, uid: string): Promise<void> {
  const identity = {
    share: "none",
    cluster,
    kind: "pod",
    namespace: "shop",
    name: "p",
    route: "web",
  } as const;
  const labels = { ...labelsOf("default", identity), [`${memberLabelPrefix}${cluster}`]: uid };
  const { text } = sealed({ type: "roundrobin", nodes: [], labels });
  const answer = await fetch(`${gateway.url}/apisix/admin/upstreams/${idOf("default", identity)}`, {
    ...{ method: "PUT", headers: { "x-api-key": gateway.adminKey }, body: text },
  });
  expect(answer.status).toBe(201);
}
