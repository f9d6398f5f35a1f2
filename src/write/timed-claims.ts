import type { Claim, Round, RouteShape } from "../claims/claim.ts";
import { Claims } from "../claims/claims.ts";
import type { Identity } from "../apisix/types.ts";
import type { TimeStage } from "../runtime.ts";

/** Claims that tell how long they take over what is not answered at once. */
export class TimedClaims extends Claims {
  readonly #time: TimeStage;

  constructor(time: TimeStage) {
    super();
    this.#time = time;
  }

  override want(claim: Claim): void {
    this.#time("claims", () => super.want(claim));
  }

  override leave(id: string, identity: Identity, options: { readonly grace: boolean }): void {
    this.#time("claims", () => super.leave(id, identity, options));
  }

  override stands(id: string, identity: Identity, shape: RouteShape | null, createdIndex?: number): void {
    this.#time("claims", () => super.stands(id, identity, shape, createdIndex));
  }

  override *hearForeign(...foreign: Parameters<Claims["hearForeign"]>): Generator<void> {
    const steps = super.hearForeign(...foreign);
    while (this.#time("claims", () => steps.next()).done !== true) yield;
  }

  override nextRound(): Round {
    return this.#time("claims", () => super.nextRound());
  }
}
