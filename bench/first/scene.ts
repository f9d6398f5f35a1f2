import { Child } from "../processes/child.ts";
import type { AdminCommands } from "../processes/admin-process.ts";
import type { FleetCommands, FleetSize } from "../processes/fleet-process.ts";
import { Setup } from "./translator.ts";

/** Requests that are under way at once: the translator's default, and what autocannon and the relay get too. */
export const concurrency = 32;

/** Everything around the translator, each in a process of its own. */
export interface Scene extends AsyncDisposable {
  readonly fleet: Child<FleetCommands>;
  readonly admin: Child<AdminCommands>;
  readonly setup: Setup;
  readonly clusters: Awaited<ReturnType<FleetCommands["start"]>>;
}

export function fleetProcess(): Child<FleetCommands> {
  return new Child<FleetCommands>(new URL("../processes/fleet-process.ts", import.meta.url));
}

/** `apart`: clusters of another process that the translator watches too. */
export async function openScene(size: FleetSize, apart: Scene["clusters"] = []): Promise<Scene> {
  const fleet = fleetProcess();
  const admin = new Child<AdminCommands>(new URL("../processes/admin-process.ts", import.meta.url));
  const clusters = await fleet.ask("start", size);
  const setup = new Setup([...clusters, ...apart]);
  return {
    ...{ fleet, admin, setup, clusters },
    async [Symbol.asyncDispose]() {
      setup.close();
      await fleet.ask("close");
      await Promise.all([fleet.stop(), admin.stop()]);
    },
  };
}
