import type { Claims } from "../claims/claims.ts";
import type { Clock } from "../runtime.ts";
import type { GroupRecord } from "./group-record.ts";
import type { GroupRequests } from "./group-requests.ts";
import type { Guard } from "./guard.ts";
import type { Limiting } from "./limiting.ts";
import type { Records } from "./records.ts";
import type { Removals } from "./removals.ts";
import type { Retries } from "./retries.ts";
import type { ShardPort } from "./shard-port.ts";
import type { Standings } from "./standings.ts";

/** The writer's other parts; they hold each other, so they are looked up when they are used. */
export interface GroupFlowParts {
  readonly clock: Clock;
  readonly deleteGrace: number;
  readonly shards: Pick<ShardPort, "forget" | "kept">;
  readonly writer: {
    readonly claims: Claims;
    readonly records: Records;
    readonly requests: GroupRequests;
    readonly removals: Removals;
    readonly retries: Retries;
    readonly standings: Standings;
    readonly guard: Guard;
    readonly limiting: Limiting;
    readonly bursts: { wake(): void };
    /** Started, not stopped and not paused. */
    readonly isAtWork: boolean;
    isBusy(id: string): boolean;
  };
  readonly isVisible: (record: GroupRecord) => boolean;
  readonly mayGo: (record: GroupRecord) => boolean;
  /** An upstream's content may differ: to be written when the drip lane lets it. */
  readonly changed: (id: string) => void;
  readonly fault: (error: unknown) => void;
}
