import type { Clock } from "../runtime.ts";

/**
 * Bytes that all streams together may work on in one turn of the event loop. Reading, parsing and filtering a list of
 * Pods of 5 KB was measured at 25 µs a KB: a turn takes about 5 ms, and a Lease renewal or an Admin answer never waits
 * long behind a list.
 */
const turnBytes = 192 * 1024;

/** Largest piece handed out at once. */
const pieceBytes = 64 * 1024;

/** Bytes as they came from the socket, and when. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly at: number;
}

/**
 * Shares the event loop among all streams of all clusters: first come, first served. Without it a hundred sockets with
 * 64 KB each would be parsed back to back, in one block of the loop.
 */
export class Turns {
  readonly #clock: Clock;
  #used = 0;
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

  #admits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= turnBytes;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#clock.soon(() => this.#next());
  }

  #next(): void {
    this.#scheduled = false;
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
