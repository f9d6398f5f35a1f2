/** Questions of one epoch by key; several may wait under one, and are answered in their order. */
export class Questions<Answer> {
  readonly #waiting = new Map<string, Question<Answer>[]>();

  get size(): number {
    return this.#waiting.size;
  }

  ask(key: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(key);
      if (waiting === undefined) this.#waiting.set(key, [{ resolve, reject }]);
      else waiting.push({ resolve, reject });
    });
  }

  /** Returns false if nobody asked. */
  answer(key: string, answer: Answer): boolean {
    const waiting = this.#waiting.get(key);
    const question = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(key);
    question?.resolve(answer);
    return question !== undefined;
  }

  /** Ends every question: nobody will answer. */
  end(by: (key: string, question: Question<Answer>) => void): void {
    const ended = [...this.#waiting];
    this.#waiting.clear();
    for (const [key, waiting] of ended) for (const question of waiting) by(key, question);
  }
}

export interface Question<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}
