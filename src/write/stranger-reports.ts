import type { Forged } from "../apisix/snapshot.ts";
import type { Intruder } from "../claims/claim.ts";
import type { Log } from "../runtime.ts";

/** Of many, so many are named in a line. */
const mostNamed = 20;

/** Says what a look has found of strangers that people should know of; the same thing once. */
export class StrangerReports {
  readonly #log: Log;
  #forged = "";
  #intruders = "";

  constructor(log: Log) {
    this.#log = log;
  }

  forged(found: readonly Forged[]): void {
    const named = found.map(({ resource, id }) => `${resource} ${id}`).toSorted();
    if (this.#forged === (this.#forged = named.join(" ")) || found.length === 0) return;
    const [first] = found;
    const objects = named.slice(0, mostNamed);
    const advice = "find out who wrote them and take our labels off; the translator never touches them";
    const fields = { count: found.length, objects, why: first?.why, advice };
    this.#log.warn(fields, "objects carry our ownership labels and are not ours");
  }

  intruders(found: readonly Intruder[]): void {
    const named = found.map(({ foreign, pair }) => `${foreign} on ${pair}`).toSorted();
    if (this.#intruders === (this.#intruders = named.join(" ")) || found.length === 0) return;
    const routes = named.slice(0, mostNamed);
    const advice = "see whose they are; the gateway may send requests to either";
    this.#log.warn(
      { count: found.length, routes, advice },
      "younger foreign routes stand where ours do: ours stay",
    );
  }
}
