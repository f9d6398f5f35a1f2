import type { Clock } from "../runtime.ts";

/**
 * Bytes that all streams together may work on in one turn of the event loop. Reading, parsing and filtering a list of
 * Pods of 5 KB was measured at 25 µs a KB: a turn takes about 5 ms, and a Lease renewal or an Admin answer never waits
 * long behind a list. A process that has just started takes ten times as long, until its code is compiled: the first turns
 * are small, and turns stay so while they take long.
 */
const turnBytes = { least: 24 * 1024, most: 192 * 1024 };
/** Milliseconds: a turn that took less lets the next one grow, a turn that took more makes it smaller. */
const turnMs = { least: 4, most: 8 };

/** Largest piece handed out at once. */
const pieceBytes = 24 * 1024;
/** What a request weighs: its socket, a handshake, and what it is answered. */
const requestBytes = pieceBytes;

/** Bytes as they came from the socket, and when. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/**
 * Shares the event loop among all streams and requests of all clusters: first come, first served. Without it a hundred sockets with
 * 64 KB each would be parsed back to back, in one block of the loop.
 */
export class Turns {
  readonly #clock: Clock;
  #most: number = turnBytes.least;
  #used = 0;
  #beganAt = 0;
  #scheduled = false;
  #waiting: { readonly bytes: number; readonly go: () => void }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks to work on so many bytes. Undefined: now. Otherwise wait for the promise. */
  take(bytes: number): Promise<void> | undefined {
    this.#schedule();
    if (this.#waiting.length === 0 && this.#admits(bytes)) {
      this.#used += bytes;
      return undefined;
    }
    return new Promise((go) => this.#waiting.push({ bytes, go }));
  }

  /** Asks to send a request: as `take`. A hundred clusters that answer at once would be asked for all their lists at once. */
  request(): Promise<void> | undefined {
    return this.take(requestBytes);
  }

  #admits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#most;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#beganAt = this.#clock.now();
    this.#clock.soon(() => this.#next());
  }

  #next(): void {
    this.#scheduled = false;
    this.#most = this.#nextMost();
    this.#used = 0;
    let served = 0;
    for (const { bytes, go } of this.#waiting) {
      if (!this.#admits(bytes)) break;
      this.#used += bytes;
      served++;
      go();
    }
    this.#waiting.splice(0, served);
    if (this.#used > 0 || this.#waiting.length > 0) this.#schedule();
  }

  /** A turn that had little to do shows nothing of what more would take. */
  #nextMost(): number {
    const took = this.#clock.now() - this.#beganAt;
    if (took > turnMs.most) return Math.max(turnBytes.least, this.#most / 2);
    const wasFull = this.#used + pieceBytes > this.#most;
    return wasFull && took < turnMs.least ? Math.min(turnBytes.most, this.#most * 2) : this.#most;
  }
}

/** Hands a body on in small pieces, each in its turn, stamped with the time at which its chunk came. */
export async function* paced(
  body: AsyncIterable<Uint8Array>,
  turns: Turns,
  clock: Clock,
): AsyncGenerator<Piece, void, void> {
  for await (const chunk of body) {
    const at = clock.now();
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      const bytes = chunk.subarray(start, start + pieceBytes);
      const turn = turns.take(bytes.length);
      if (turn !== undefined) await turn;
      yield { bytes, at };
    }
  }
}
