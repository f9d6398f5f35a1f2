import { TranslatorError } from "../../errors.ts";
import type { Cancel, Clock } from "../../runtime.ts";
import type { Explained, ExplainQuery } from "../../shard/protocol.ts";
import type { GroupRecord } from "../../write/group-record.ts";
import { localOf } from "../local-of.ts";
import { stateOf } from "../states.ts";
import type { StateFacts } from "../states.ts";
import type { Regarded } from "./kube-event.ts";

/** Objects that are asked about at once. */
const askedAtOnce = 256;
/** Milliseconds after which what was not routed yet, or could not be asked, is asked about again. */
const askAgainAfter = 1000;

type Place = Omit<Regarded, "uid" | "route">;

export interface StrayEndsParts {
  readonly clock: Clock;
  readonly facts: StateFacts;
  readonly record: (id: string) => GroupRecord | undefined;
  /** Asks the shards; rejects with `SHARD_LOST` while one of them is away. */
  readonly explain: (query: ExplainQuery) => Promise<readonly Explained[]>;
  readonly routed: (id: string, place: Place) => void;
  /** It declares nothing any more. */
  readonly gone: (id: string) => void;
  readonly onFault: (error: unknown) => void;
}

/** Objects whose annotation can be read again, until all that they declare is routed. */
export class StrayEnds {
  readonly #parts: StrayEndsParts;
  /** What is asked about next stands first. */
  readonly #waiting = new Map<string, Place>();
  #timer: Cancel | undefined;
  #asking = false;
  /** Something has happened while it asked. */
  #isDue = false;

  constructor(parts: StrayEndsParts) {
    this.#parts = parts;
  }

  wait(id: string, place: Place): void {
    this.#waiting.set(id, place);
    this.askSoon(0);
  }

  /** It has a problem again, or is gone. */
  drop(id: string): void {
    this.#waiting.delete(id);
  }

  /** Something may be routed now. `wait`: in milliseconds. */
  askSoon(wait: number = askAgainAfter): void {
    this.#isDue ||= this.#asking;
    if (this.#asking || this.#timer !== undefined || this.#waiting.size === 0) return;
    this.#timer = this.#parts.clock.after(wait, () => {
      this.#timer = undefined;
      this.#ask().catch(this.#parts.onFault);
    });
  }

  stop(): void {
    this.#timer?.();
    this.#waiting.clear();
  }

  async #ask(): Promise<void> {
    const asked = [...this.#waiting].slice(0, askedAtOnce);
    this.#asking = true;
    this.#isDue = false;
    try {
      await Promise.all(asked.map(([id, place]) => this.#judge(id, place)));
    } finally {
      this.#asking = false;
    }
    if (this.#isDue) this.askSoon();
  }

  async #judge(id: string, place: Place): Promise<void> {
    const { explain, routed, gone } = this.#parts;
    const members = await this.#unlessAway(explain({ by: "object", ...place }));
    this.#isDue ||= members === undefined;
    if (members === undefined || this.#waiting.get(id) !== place) return;
    this.#waiting.delete(id);
    if (members.length === 0) gone(id);
    else if (members.every((member) => this.#isRouted(member))) routed(id, place);
    else this.#waiting.set(id, place);
  }

  /** Undefined: its shard is away, and is asked again. */
  async #unlessAway<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof TranslatorError && (error.code === "SHARD_LOST" || error.code === "ABORTED"))
        return undefined;
      throw error;
    }
  }

  #isRouted(member: Explained): boolean {
    const record = this.#parts.record(member.id);
    if (record === undefined) return false;
    const state = stateOf(record, localOf(member, record).state, this.#parts.facts);
    return state === "Routed" || state === "NoNodes";
  }
}
