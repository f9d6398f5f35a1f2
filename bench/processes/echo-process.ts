/** A server behind the gateway, in a process of its own: answers everything with two bytes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "./serve.ts";

export type EchoCommands = {
  /** Resolves to its port. */
  readonly listen: () => Promise<number>;
};

const commands: EchoCommands = {
  listen() {
    const server = createServer((request, response) => {
      request.resume();
      response.end("ok");
    });
    return new Promise((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
    });
  },
};

serve(commands);
