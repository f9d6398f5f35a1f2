import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below Linux's and macOS's ephemeral ranges: while a server is stopped, no outgoing connection takes its port. */
const lowest = 20_000;
const highest = 32_000;
const attempts = 100;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

/**
 * A TCP port of 127.0.0.1 on which nothing listens now. kube-apiserver refuses port 0, and a server that is started
 * again must come back where it was.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${attempts} ports of 127.0.0.1 between ${lowest} and ${highest} is free`);
}
