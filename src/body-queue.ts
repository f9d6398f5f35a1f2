/** How much of a body may wait for its reader before the connection is paused, where nothing else is said. */
const usualHighWater = 256 << 10;

export interface BodySource {
  pause(): void;
  resume(): void;
  /** The reader wants no more. */
  cancel(): void;
}

/**
 * A response's body between the connection that fills it and the one reader that empties it. Holds about `highWater`
 * bytes. Cheaper than a stream, which counts for ten thousand small answers.
 */
export class BodyQueue implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #source: BodySource;
  readonly #highWater: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #paused = false;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource, highWater = usualHighWater) {
    this.#source = source;
    this.#highWater = highWater;
  }

  /** The reader is behind: nothing comes because nothing was asked for. */
  get isPaused(): boolean {
    return this.#paused;
  }

  push(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes >= this.#highWater && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#wakeReader();
  }

  /** Nothing follows. With an error, the reader meets it after what came before. */
  finish(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wakeReader();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#bytes -= value.length;
      if (this.#paused && this.#bytes < this.#highWater / 2) {
        this.#paused = false;
        this.#source.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    if (this.#end === undefined) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      return woken.then(() => this.next());
    }
    const { error } = this.#end;
    // Handed on as it came: it is the transport's own.
    return error === undefined
      ? Promise.resolve({ done: true, value: undefined })
      : Promise.reject(error as Error);
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    const wasOpen = this.#end === undefined;
    this.#end = {};
    this.#chunks = [];
    if (wasOpen) this.#source.cancel();
    return Promise.resolve({ done: true, value: undefined });
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
