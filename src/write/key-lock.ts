/** One request in flight for each key: work on the same key runs one after the other, in the order of asking. */
export class KeyLock {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #idle: (key: string) => void;

  /** `idle`: nothing of this key is under way any more, nor waits for its turn. */
  constructor(idle: (key: string) => void) {
    this.#idle = idle;
  }

  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(key, promise);
    if (before !== undefined) await before;
    try {
      return await work();
    } finally {
      const isLast = this.#tails.get(key) === promise;
      if (isLast) this.#tails.delete(key);
      resolve();
      if (isLast) this.#idle(key);
    }
  }
}
