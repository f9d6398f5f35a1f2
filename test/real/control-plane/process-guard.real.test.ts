import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { describeReal } from "./describe-real.ts";

const pollMs = 20;

/** A process of its own that starts etcd, prints its pid and its folder, and then does nothing. */
function spawnOwner(): ChildProcess {
  const script = `
    const { startEtcd } = await import(${JSON.stringify(new URL("etcd.ts", import.meta.url).href)});
    const etcd = await startEtcd();
    console.log(JSON.stringify({ pid: etcd.process.pid, folder: etcd.dataDir + "/.." }));
    setInterval(() => {}, 60_000);`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describeReal(
  "the guard of a server process",
  () => {
    it("ends the server and removes its folder when the test process is killed", async () => {
      const owner = spawnOwner();
      if (owner.stdout === null) throw new Error("no output");
      const [line] = await once(owner.stdout, "data");
      const { pid, folder }: { pid: number; folder: string } = JSON.parse(String(line));
      expect(isAlive(pid)).toBe(true);
      owner.kill("SIGKILL");
      await once(owner, "exit");
      while (isAlive(pid) || existsSync(folder)) await delay(pollMs);
    }, 30_000);
  },
  ["etcd"],
);
