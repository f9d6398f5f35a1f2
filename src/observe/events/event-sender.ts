import { TranslatorError } from "../../errors.ts";
import type { Clock, Log, Random } from "../../runtime.ts";
import { backoffLimit, believedRetryAfter } from "../../watch/backoff.ts";
import type { EventClient, EventTold } from "./event-client.ts";
import { EventQueue } from "./event-queue.ts";
import type { KubeEvent } from "./kube-event.ts";

/** Events in a row, and milliseconds for each one more. */
const burst = 20;
const interval = 500;

export interface EventSenderParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly client: EventClient;
  readonly onFault: (error: unknown) => void;
}

/**
 * Sends the Events of one cluster, one after another, in its own time: nobody waits for it.
 *
 * Guarantees: those of the queue; what is forbidden, what cannot be sent now, and how many were dropped, is logged once, and
 * again only after it went well.
 */
export class EventSender {
  readonly #parts: EventSenderParts;
  readonly #queue = new EventQueue();
  readonly #stopped = new AbortController();
  #running = false;
  /** Events that may go at once; grows by one each `interval`. */
  #tokens = burst;
  #countedAt: number;
  #failures = 0;
  #said = { forbidden: false, refused: false, trouble: false };

  constructor(parts: EventSenderParts) {
    this.#parts = parts;
    this.#countedAt = parts.clock.now();
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** `isFirst`: nothing was offered of this problem before. */
  offer(key: string, event: KubeEvent, isFirst = false): void {
    if (this.#stopped.signal.aborted) return;
    this.#queue.put(key, event, isFirst);
    if (this.#running) return;
    this.#running = true;
    this.#work().catch(this.#parts.onFault);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#queue.clear();
    await this.#parts.client.close();
  }

  async #work(): Promise<void> {
    while (this.#queue.size > 0) {
      await this.#rest(this.#untilToken());
      const next = this.#queue.first();
      // What was to be sent may have ended while it waited.
      if (this.#stopped.signal.aborted || next === undefined) break;
      this.#tokens--;
      await this.#send(next.key, next.event);
    }
    this.#running = false;
    this.#tellDropped();
  }

  async #send(key: string, event: KubeEvent): Promise<void> {
    const { client, random } = this.#parts;
    this.#queue.begin(key, event);
    try {
      const answer = await client.tell(event, this.#stopped.signal);
      this.#failures = 0;
      this.#queue.end(key, event);
      this.#note(answer, event);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (!(error instanceof TranslatorError)) throw error;
      this.#failures++;
      this.#troubled(error);
      const wait = believedRetryAfter(error) + random() * backoffLimit(this.#failures);
      await this.#rest(wait);
    }
  }

  #note(answer: EventTold, { namespace }: KubeEvent): void {
    const { log } = this.#parts;
    if (answer.type === "told" && this.#said.trouble) log.info({}, "Events can be written again");
    if (answer.type === "told") this.#said = { forbidden: false, refused: false, trouble: false };
    if (answer.type === "told" || answer.type === "unwanted" || this.#said[answer.type]) return;
    this.#said[answer.type] = true;
    const { reason } = answer;
    const advice =
      answer.type === "forbidden"
        ? "grant create and patch on events in events.k8s.io (deploy/rbac.yaml), or set events.enabled: false; routing does not need them"
        : "report this; routing does not need Events, and explain tells the same";
    log.warn({ namespace, reason, advice }, `Events are ${answer.type}`);
  }

  #troubled({ code, message }: TranslatorError): void {
    if (this.#said.trouble) return;
    this.#said.trouble = true;
    const advice = "nothing to do: they are tried again, and nothing waits for them";
    this.#parts.log.warn({ code, reason: message, advice }, "Events cannot be written now");
  }

  #tellDropped(): void {
    const events = this.#queue.takeDropped();
    if (events === 0) return;
    const advice = "see the counts in /status, and ask explain about each";
    this.#parts.log.warn({ events, advice }, "more problems than Events are written");
  }

  /** Milliseconds until one more may go. */
  #untilToken(): number {
    const now = this.#parts.clock.now();
    const grown = (now - this.#countedAt) / interval;
    this.#tokens = Math.min(burst, this.#tokens + grown);
    this.#countedAt = now;
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) * interval;
  }

  async #rest(ms: number): Promise<void> {
    const { signal } = this.#stopped;
    if (ms <= 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.#parts.clock.after(ms, end);
      signal.addEventListener("abort", end);
    });
    this.#untilToken();
  }
}
