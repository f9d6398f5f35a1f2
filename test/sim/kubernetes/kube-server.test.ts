import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { startKubeServer } from "../../../src/sim/kubernetes/kube-server.ts";

it("stops although a connection is still being secured", async () => {
  const server = await startKubeServer({ name: "east" });
  const silent = connect(server.port, "127.0.0.1");
  await once(silent, "connect");
  const ended = new Promise<void>((resolve) => {
    silent.on("close", () => resolve()).on("error", () => {});
  });
  // The server has taken it, too, once it has answered one that came later.
  const later = connect(server.port, "127.0.0.1");
  later.end("no TLS");
  await once(later.resume(), "close");
  await server.stop();
  await ended;
  expect(silent.destroyed).toBe(true);
  await server.close();
});
