import type { Claims } from "../claims/claims.ts";
import type { GroupRecord } from "./group-record.ts";
import type { GroupRequests } from "./group-requests.ts";
import type { Retries } from "./retries.ts";

export interface RoutelessParts {
  /** The writer's other parts, looked up when they are used. */
  readonly writer: {
    readonly claims: Claims;
    readonly requests: GroupRequests;
    readonly retries: Pick<Retries, "clear">;
  };
  readonly mayWrite: (record: GroupRecord) => boolean;
  readonly mayGo: (record: GroupRecord) => boolean;
  /** What may be written of it may have changed. */
  readonly gate: (record: GroupRecord) => void;
}

/**
 * What becomes of the upstream of a group that has no route, for another route keeps it from its pairs; and of what APISIX
 * has refused, with or without a route, when another comes to stand there.
 */
export class Routeless {
  readonly #parts: RoutelessParts;

  constructor(parts: RoutelessParts) {
    this.#parts = parts;
  }

  /**
   * In conflict, and no route of it stands: then its upstream does not stand either, unless somebody has taken the route
   * out of our hands, who may use it still. While the other's route is only sent it may be refused: nothing goes for that.
   */
  isOut(record: GroupRecord): boolean {
    const { claims } = this.#parts.writer;
    return (
      hasNoRoute(record) && claims.outcome(record.id).state === "conflict" && claims.isKeptOut(record.id)
    );
  }

  /**
   * APISIX has refused it, and another route stands on its pair by now: it waits for that, not for another try, and yields
   * what its old route stands on. A new leader, which does not know of the refusal, finds it in conflict too.
   */
  standAside(record: GroupRecord): void {
    const { claims, retries } = this.#parts.writer;
    if (!isDeclaredRefused(record) || !claims.isKeptOut(record.id)) return;
    retries.clear(record);
    this.#parts.gate(record);
  }

  /** Deletes the upstream of a group that is out, once nothing of the group is out of sight. */
  async dropUpstream(record: GroupRecord): Promise<void> {
    if (record.upstream === undefined) return;
    this.standAside(record);
    const isOut = (): boolean => this.isOut(record) && this.#parts.mayGo(record);
    if (isOut() && this.#parts.mayWrite(record))
      await this.#parts.writer.requests.remove(record, "both", isOut);
  }
}

/** Whether what is declared was refused. What a group in conflict goes on doing would be tried again at once, and for ever. */
function isDeclaredRefused(record: GroupRecord): boolean {
  const { rejected } = record;
  if (rejected === undefined || rejected.isCut) return false;
  // Beside a route that stands, the upstream is kept true.
  return rejected.resource === "route" ? isRouteCertain(record) : hasNoRoute(record);
}

function hasNoRoute(record: GroupRecord): boolean {
  return record.route === undefined && isRouteCertain(record);
}

function isRouteCertain({ uncertain, occupied }: GroupRecord): boolean {
  return occupied.route === undefined && uncertain?.route !== true;
}
