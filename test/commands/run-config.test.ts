import { readFileSync } from "node:fs";
import { mkdir, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "../../src/commands/cli.ts";
import type { Status } from "../../src/observe/status.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet } from "../../src/sim/kubernetes/fleet.ts";
import { many } from "../scenarios/pods.ts";
import { recordedIo } from "./recorded-io.ts";

it("run takes clusters from a mounted configuration that is swapped under it", async () => {
  const fleet = await startFleet({ clusters: ["home", "east"] });
  const gateway = await startAdminServer();
  const stopping = new AbortController();
  const path = join(fleet.folder, "config.json");
  let generation = 0;
  /** As the kubelet does: a symbolic link above the file changes. */
  const mount = async (content: string): Promise<void> => {
    const folder = `..${++generation}`;
    await mkdir(join(fleet.folder, folder));
    await writeFile(join(fleet.folder, folder, "config.json"), content);
    await symlink(folder, join(fleet.folder, "..new"));
    await rename(join(fleet.folder, "..new"), join(fleet.folder, "..data"));
  };
  const configuration = (...names: readonly string[]): string =>
    JSON.stringify({
      clusters: names.map((name) => ({ name, kubeconfig: fleet.cluster(name).kubeconfigPath })),
      ...{ leader: { enabled: false }, shards: { count: 1 }, gateway: { adminUrls: [gateway.url] } },
      ...{ throttle: { routeInterval: "0ms" }, observe: { listen: "127.0.0.1:0", admin: "127.0.0.1:0" } },
    });
  try {
    for (const { name, store } of fleet.clusters)
      for (const each of many(name, 2)) store.create("pods", each);
    await mount(configuration("home"));
    await symlink("..data/config.json", path);
    const { io, err } = recordedIo({ signal: stopping.signal, env: { APISIX_ADMIN_KEY: gateway.adminKey } });
    const running = runCommand(["run", "--config", path], "1.2.3", {
      ...io,
      readFile: (file) => readFileSync(file, "utf8"),
    });
    const routes = (): number => gateway.admin.store.size("routes");
    await expect.poll(routes).toBe(2);
    const line = (message: string): unknown =>
      JSON.parse(
        err()
          .split("\n")
          .find((each) => each.includes(message)) ?? "{}",
      );
    await expect.poll(() => line("first reconcile done")).toMatchObject({ routes: 2 });
    await mount(configuration("home", "east"));
    await expect.poll(routes).toBe(4);
    const { listen } = line("translator started") as { readonly listen: { readonly port: number } };
    const status = (await (await fetch(`http://127.0.0.1:${listen.port}/status`)).json()) as Status;
    expect(status.clusters.map(({ name }) => name)).toEqual(["home", "east"]);
    stopping.abort();
    expect(await running).toBe(0);
  } finally {
    stopping.abort();
    await gateway.close();
    await fleet.close();
  }
}, 60_000);
