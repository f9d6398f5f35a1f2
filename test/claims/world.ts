import type { Identity } from "../../src/apisix/types.ts";
import { isEmpty } from "../../src/claims/claim.ts";
import { Claims } from "../../src/claims/claims.ts";
import type { Claim, Cut, ForeignRoute, Grant, Round, RouteShape } from "../../src/claims/claim.ts";
import { pairHost, pairsOf, pairUri } from "../../src/declare/pair.ts";
import type { Pair } from "../../src/declare/pair.ts";
import { FakeGateway, type Request } from "./gateway.ts";

export type Said =
  | { readonly type: "want"; readonly claim: Omit<Claim, "dirty">; readonly version: number }
  | { readonly type: "leave"; readonly grace: boolean }
  | { readonly type: "hold" };

export type Answer = "ok" | "refused" | "unsent" | "lostApplied" | "lostLate" | "lostNever";

interface Flight {
  readonly id: string;
  readonly request: Request;
  readonly said: Said | undefined;
  /** There was a look at its id before it was answered. */
  isLookedAt: boolean;
}

/** What APISIX refuses, whoever wants it. */
export const wrongVersion = 9;

/** The part of the writer that matters to claims, on a fake gateway, checking from outside what claims allow. */
export class World {
  readonly claims: Claims;
  readonly gateway = new FakeGateway();
  readonly said = new Map<string, Said>();
  readonly blocked = new Set<string>();
  readonly uncertain = new Set<string>();
  readonly refused = new Set<string>();
  /** Requests without answer that APISIX may still apply. */
  late: Request[] = [];
  flights: Flight[] = [];
  inBurst = false;
  rounds = 0;
  /** Every cut and grant, in order. */
  readonly log: string[] = [];
  /** Pairs on which ours stood at some time since the burst began. */
  #held = new Set<Pair>();
  readonly #identityOf: (id: string) => Identity;

  /** `portion`: candidates that one round judges at most. `unfold`: pairs of a foreign route that is found by each. */
  constructor(identityOf: (id: string) => Identity, portion?: number, unfold?: number) {
    this.claims = new Claims({
      ...(portion === undefined ? {} : { portion }),
      ...(unfold === undefined ? {} : { unfold }),
    });
    this.#identityOf = identityOf;
  }

  want(claim: Omit<Claim, "dirty" | "identity">, version = 1): void {
    const full = { ...claim, identity: this.#identityOf(claim.id) };
    this.said.set(claim.id, { type: "want", claim: full, version });
    this.refused.delete(claim.id);
    this.claims.want({ ...full, dirty: this.gateway.routes.get(claim.id)?.version !== version });
  }

  leave(id: string, grace: boolean): void {
    this.said.set(id, { type: "leave", grace });
    this.refused.delete(id);
    this.claims.leave(id, this.#identityOf(id), { grace });
  }

  hold(id: string): void {
    this.said.set(id, { type: "hold" });
    this.refused.delete(id);
    this.claims.hold(id);
  }

  /** Where nothing stands and nothing may. */
  forget(id: string): void {
    if (this.gateway.routes.has(id) || this.late.some((request) => request.id === id)) return;
    this.said.set(id, { type: "leave", grace: false });
    this.blocked.delete(id);
    this.refused.delete(id);
    this.uncertain.delete(id);
    this.claims.forget(id);
  }

  block(id: string, blocked: boolean): void {
    if (blocked) this.blocked.add(id);
    else if (this.blocked.delete(id)) this.refused.delete(id);
    this.claims.block(id, blocked);
  }

  /** Somebody else's routes change, and we look. One under an id of ours has taken that object out of our hands. */
  setForeign(routes: readonly ForeignRoute[]): void {
    this.gateway.foreign = [...routes];
    this.claims.setForeign(routes);
    for (const { id } of routes) if (this.gateway.routes.delete(id)) this.readBack(id);
  }

  /** As after a look at APISIX, which also ends what may still arrive late; what waits for its turn is sent after it. */
  readBack(id: string, withIndex = true): void {
    for (const flight of this.flights) if (flight.id === id) flight.isLookedAt = true;
    this.late = this.late.filter((request) => request.id !== id);
    this.uncertain.delete(id);
    const route = this.gateway.routes.get(id);
    const index = withIndex ? route?.createdIndex : undefined;
    this.claims.stands(id, this.#identityOf(id), route?.shape ?? null, index);
  }

  start(): void {
    this.claims.startBurst();
    this.inBurst = true;
    this.rounds = 0;
    this.#held = new Set([...this.gateway.routes.keys()].flatMap((id) => this.gateway.pairs(id)));
  }

  /** Sends a round; the answers come with `answer`. */
  send(): void {
    const round = this.claims.nextRound();
    this.inBurst = !isEmpty(round) || round.more === true;
    this.rounds += 1;
    this.#check(round);
    for (const cut of round.cuts) this.#fly(cut.id, this.#cutRequest(cut));
    for (const grant of round.grants) this.#fly(grant.id, this.#grantRequest(grant));
    for (const { id } of round.checks ?? [])
      this.#fly(id, { type: "check", id, version: this.#versionOf(id) });
  }

  answer(at: number, answer: Answer): void {
    const [flight] = this.flights.splice(at % this.flights.length, 1);
    if (flight === undefined) return;
    const { id, request, said, isLookedAt } = flight;
    const isWrong = request.type !== "delete" && request.version === wrongVersion;
    if (answer === "refused" || (answer === "ok" && isWrong)) {
      if (said === this.said.get(id) && !isLookedAt) this.refused.add(id);
      this.claims.refused(id);
      return;
    }
    // A check that has no answer has changed nothing.
    if (answer === "unsent" || (request.type === "check" && answer !== "ok")) {
      this.claims.unsent(id);
      return;
    }
    if (request.type === "check") {
      this.claims.accepted(id);
      return;
    }
    if (answer === "ok" || answer === "lostApplied") this.gateway.apply(request);
    if (answer === "lostLate") this.late.push(request);
    const shape = request.type === "put" ? request.shape : null;
    for (const pair of this.gateway.pairs(id)) this.#held.add(pair);
    if (answer !== "ok") this.uncertain.add(id);
    if (answer === "ok" && !this.uncertain.has(id)) this.claims.stands(id, this.#identityOf(id), shape);
    else this.claims.uncertain(id, shape);
    // The writer removes what came to stand after it was to go; claims that a look had told of nothing forgot that word.
    const last = this.said.get(id);
    if (isLookedAt && last?.type === "leave") this.claims.leave(id, this.#identityOf(id), last);
  }

  /** A request that was given up on arrives after all. */
  arriveLate(at: number): void {
    const [request] = this.late.splice(at % Math.max(1, this.late.length), 1);
    if (request !== undefined) this.gateway.apply(request);
  }

  /** Answers everything with 200 until the burst has nothing more to do. */
  finishBurst(order: (flights: number) => number = () => 0): void {
    const most = 20 + 4 * this.said.size;
    for (;;) {
      while (this.flights.length > 0) this.answer(order(this.flights.length), "ok");
      if (!this.inBurst) return;
      this.send();
      if (this.rounds > most) throw new Error(`the burst does not end:\n${this.log.slice(-30).join("\n")}`);
    }
  }

  /** What is pending, in one burst that leaves nothing pending; returns how many of its rounds had anything to do. */
  untilQuiet(order?: (flights: number) => number): number {
    this.finishBurst(order);
    if (!this.claims.pending) return 0;
    this.start();
    this.finishBurst(order);
    if (this.claims.pending) throw new Error(`one burst was not enough:\n${this.log.slice(-30).join("\n")}`);
    return this.rounds - 1;
  }

  #fly(id: string, request: Request): void {
    if (this.flights.some((flight) => flight.id === id)) throw new Error(`${id} is in flight already`);
    this.flights.push({ id, request, said: this.said.get(id), isLookedAt: false });
  }

  #cutRequest(cut: Cut): Request {
    this.log.push(cut.type === "delete" ? `delete ${cut.id} (${cut.why})` : `narrow ${cut.id}`);
    if (cut.type === "delete") return { type: "delete", id: cut.id };
    const { id, hosts, uris } = cut;
    // A narrowing keeps the body that is read: never a version that is wanted.
    return { type: "put", id, shape: { hosts, uris }, version: 0 };
  }

  #grantRequest(grant: Grant): Request {
    this.log.push(`grant ${grant.id} ${grant.pairs}`);
    return { type: "put", id: grant.id, shape: shapeOf(grant.pairs), version: this.#versionOf(grant.id) };
  }

  #versionOf(id: string): number {
    const said = this.said.get(id);
    if (said?.type !== "want") throw new Error(`${id} is served what it does not want`);
    return said.version;
  }

  #check(round: Round): void {
    for (const { id } of [...round.cuts, ...round.grants, ...(round.checks ?? [])]) {
      const type = this.said.get(id)?.type;
      if (this.blocked.has(id) || this.refused.has(id) || type === undefined || type === "hold")
        throw new Error(`${id} was touched though it is held or blocked`);
    }
    for (const cut of round.cuts) this.#checkCut(cut);
    for (const { id, pairs, fresh } of round.grants) {
      const held = pairs.every((pair) => this.#held.has(pair) || this.gateway.pairs(id).includes(pair));
      if (!held && !fresh) throw new Error(`${id} takes a pair that was not held, and does not say so`);
    }
  }

  #checkCut(cut: Cut): void {
    const said = this.said.get(cut.id);
    const standing = this.gateway.pairs(cut.id);
    const wanted = said?.type === "want" ? said.claim.pairs : [];
    if (cut.type === "narrow") {
      const left = pairsOf(cut.hosts, cut.uris);
      const kept = standing.filter((pair) => wanted.includes(pair));
      if (left.length === 0 || left.join() !== kept.join() || left.length === standing.length)
        throw new Error(`${cut.id} is narrowed from ${standing} to ${left}, wanted: ${wanted}`);
      return;
    }
    if (cut.why === "foreign") {
      const index = this.gateway.routes.get(cut.id)?.createdIndex ?? 0;
      const older = this.gateway.foreign.filter(({ createdIndex }) => createdIndex < index);
      if (!older.some(({ hosts, uris }) => pairsOf(hosts, uris).some((pair) => standing.includes(pair))))
        throw new Error(`${cut.id} steps back from nobody`);
    } else if (cut.why === "yield") this.#checkYield(cut.id, said, standing, wanted);
    else if (said?.type !== "leave" || said.grace) throw new Error(`${cut.id} does not leave`);
  }

  #checkYield(id: string, said: Said | undefined, standing: Pair[], wanted: readonly Pair[]): void {
    const isDoubled = standing.some((pair) => this.gateway.on(pair).length > 1);
    if (isDoubled) return;
    if (standing.some((pair) => wanted.includes(pair))) throw new Error(`${id} loses what it wants`);
    const takers = [...this.said].filter(
      ([, other]) => other.type === "want" && other.claim.pairs.some((pair) => standing.includes(pair)),
    );
    const kin = takers.filter(([taker]) => isKin(this.#identityOf(id), this.#identityOf(taker)));
    if (takers.length === 0) throw new Error(`${id} is deleted for nobody`);
    if (said?.type === "leave" && said.grace && kin.length === 0)
      throw new Error(`${id} does not get its grace`);
  }
}

function isKin(a: Identity, b: Identity): boolean {
  const fleet = a.share === "fleet" || b.share === "fleet";
  return a.namespace === b.namespace && (fleet || a.cluster === b.cluster);
}

export function shapeOf(pairs: readonly Pair[]): RouteShape {
  return { hosts: [...new Set(pairs.map(pairHost))], uris: [...new Set(pairs.map(pairUri))] };
}

export function identity(parts: Partial<Identity> = {}): Identity {
  return { share: "none", cluster: "c", kind: "pod", namespace: "n", name: "p", route: "r", ...parts };
}
