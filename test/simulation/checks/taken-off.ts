import { identityOf, pairsOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import { candidatesOf } from "../wire/knowledge.ts";

/** Pairs off which somebody else has taken a route of ours, by an edit, a takeover or a DELETE, until it stands there again. */
export class TakenOff {
  readonly #instance: string;
  /** By pair and id: when. */
  readonly #at = new Map<string, number>();

  constructor(instance: string) {
    this.#instance = instance;
  }

  left(pair: string, id: string, at: number): void {
    this.#at.set(`${pair} ${id}`, at);
  }

  stands(pair: string, id: string): void {
    this.#at.delete(`${pair} ${id}`);
  }

  /**
   * Whether `request` was to take nothing on `pair`: as far as its process could know when it sent it, the route stood
   * there as ours, and somebody has taken it off only since.
   */
  isSince(
    pair: string,
    id: string,
    { knownRoute, sentAt }: Pick<SentRequest, "knownRoute" | "sentAt">,
  ): boolean {
    if ((this.#at.get(`${pair} ${id}`) ?? -Infinity) <= sentAt) return false;
    const couldStand = candidatesOf(knownRoute) ?? [undefined];
    return couldStand.every(
      (route) =>
        route !== undefined &&
        identityOf(this.#instance, id, route) !== undefined &&
        pairsOf(route, true).includes(pair),
    );
  }
}
