/** Neighbouring bounds differ by this factor: a quantile is off by 2 % at most. */
const step = 1.04;
const smallest = 1e-5;
const largest = 1000;
const count = Math.ceil(Math.log(largest / smallest) / Math.log(step)) + 2;

/** Quantiles of many durations in constant memory, from ten microseconds to 1,000 seconds; what lies outside counts as the nearest. */
export class Quantiles {
  readonly #counts = new Float64Array(count);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(seconds: number): void {
    const slot = seconds <= smallest ? 0 : 1 + Math.floor(Math.log(seconds / smallest) / Math.log(step));
    const at = Math.min(slot, count - 1);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total += 1;
  }

  /** Seconds that a share `q` (0 to 1) of the durations do not exceed; undefined where there are none. */
  at(q: number): number | undefined {
    if (this.#total === 0) return undefined;
    const rank = Math.max(1, Math.ceil(q * this.#total));
    let seen = 0;
    for (const [slot, here] of this.#counts.entries()) {
      seen += here;
      if (seen >= rank) return slot === 0 ? smallest : smallest * step ** (slot - 0.5);
    }
    return largest;
  }
}
