import type { KubeConnection } from "../../../src/watch/kube-connection.ts";
import type { KubeRequest, KubeTransport } from "../../../src/watch/transport.ts";
import type { Gate } from "./gate.ts";

/** A process's way to the Lease, and when it last renewed it: the time at which it sent what was answered well. */
export class LeaseTap {
  renewedAt = -Infinity;
  readonly #gate: Gate;
  readonly #transport: KubeTransport;

  constructor(gate: Gate, transport: KubeTransport) {
    this.#gate = gate;
    this.#transport = transport;
  }

  connection(): KubeConnection {
    const send = async (request: KubeRequest): ReturnType<KubeTransport> => {
      const gate = this.#gate;
      await gate.pass();
      const sentAt = gate.time.now();
      const response = await gate.promise(this.#transport(request));
      const isWrite = request.method === "PUT" || request.method === "POST";
      if (isWrite && (response.status === 200 || response.status === 201)) this.renewedAt = sentAt;
      return { ...response, body: gate.body(response.body) };
    };
    return Object.assign(send, { close: () => Promise.resolve() });
  }
}
