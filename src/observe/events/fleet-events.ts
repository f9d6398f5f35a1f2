import { TranslatorError } from "../../errors.ts";
import type { Clock, Log, Random } from "../../runtime.ts";
import type { KubeConnection } from "../../watch/kube-connection.ts";
import { EventClient } from "./event-client.ts";
import { EventSender } from "./event-sender.ts";
import type { KubeEvent } from "./kube-event.ts";

export interface FleetEventsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Opens a connection of its own to a cluster; undefined: there is no such cluster in the configuration. */
  readonly connect: (cluster: string, signal: AbortSignal) => Promise<KubeConnection> | undefined;
  readonly onFault: (error: unknown) => void;
}

/** The way of Events to their clusters: a sender for each, opened with its first Event. */
export class FleetEvents {
  readonly #parts: FleetEventsParts;
  readonly #senders = new Map<string, EventSender>();

  constructor(parts: FleetEventsParts) {
    this.#parts = parts;
  }

  /** `isFirst`: nothing was sent of this problem before. */
  send(key: string, event: KubeEvent, isFirst: boolean): void {
    this.#senderOf(event.cluster).offer(key, event, isFirst);
  }

  /** The cluster has left the configuration, or is reached otherwise now: what waits for it is dropped. */
  async forget(cluster: string): Promise<void> {
    const sender = this.#senders.get(cluster);
    this.#senders.delete(cluster);
    await sender?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()));
  }

  #senderOf(cluster: string): EventSender {
    const known = this.#senders.get(cluster);
    if (known !== undefined) return known;
    const { clock, random, log, connect, onFault } = this.#parts;
    const client = new EventClient({
      clock,
      connect: (signal) =>
        connect(cluster, signal) ?? Promise.reject(new TranslatorError("ABORTED", "the cluster has left")),
    });
    const sender = new EventSender({ clock, random, log: log.child({ cluster }), client, onFault });
    this.#senders.set(cluster, sender);
    return sender;
  }
}
