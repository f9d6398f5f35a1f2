import { pairsOf } from "../../src/declare/pair.ts";
import type { Pair } from "../../src/declare/pair.ts";
import type { ForeignRoute, RouteShape } from "../../src/claims/claim.ts";

export interface StandingRoute {
  readonly shape: RouteShape;
  readonly version: number;
  readonly createdIndex: number;
}

export type Request =
  | { readonly type: "put"; readonly id: string; readonly shape: RouteShape; readonly version: number }
  | { readonly type: "delete"; readonly id: string }
  /** Whether it would be accepted. */
  | { readonly type: "check"; readonly id: string; readonly version: number };

/** What APISIX holds. Fails as soon as two routes of ours stand on one pair, or a foreign route's pair is taken. */
export class FakeGateway {
  readonly routes = new Map<string, StandingRoute>();
  foreign: ForeignRoute[] = [];
  #index = 1000;

  apply(request: Request): void {
    const before = this.routes.get(request.id);
    if (request.type === "check") return;
    if (request.type === "delete") {
      this.routes.delete(request.id);
      return;
    }
    const held = new Set(before === undefined ? [] : pairsOf(before.shape.hosts, before.shape.uris));
    for (const pair of pairsOf(request.shape.hosts, request.shape.uris)) {
      if (held.has(pair)) continue;
      const others = this.on(pair).filter((id) => id !== request.id);
      if (others.length > 0) throw new Error(`${request.id} was written onto ${pair}, held by ${others}`);
    }
    const createdIndex = before?.createdIndex ?? this.#index++;
    this.routes.set(request.id, { shape: request.shape, version: request.version, createdIndex });
  }

  /** Ids of all routes that stand on `pair`. */
  on(pair: Pair): string[] {
    const ours = [...this.routes].filter(([, { shape }]) => pairsOf(shape.hosts, shape.uris).includes(pair));
    const foreign = this.foreign.filter(({ hosts, uris }) => pairsOf(hosts, uris).includes(pair));
    return [...ours.map(([id]) => id), ...foreign.map(({ id }) => id)];
  }

  pairs(id: string): Pair[] {
    const shape = this.routes.get(id)?.shape;
    return shape === undefined ? [] : pairsOf(shape.hosts, shape.uris);
  }

  /** What a reader sees: ids with hosts, uris and version. */
  read(): Record<string, string> {
    const seen = [...this.routes].map(([id, { shape, version }]) => [
      id,
      `${pairsOf(shape.hosts, shape.uris)} v${version}`,
    ]);
    return Object.fromEntries(seen.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
  }
}
