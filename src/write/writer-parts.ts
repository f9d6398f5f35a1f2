import type { Clock, Log, Random, TimeStage } from "../runtime.ts";
import type { Change } from "../shard/change.ts";
import type { Admin } from "./admin.ts";
import type { GroupRecord } from "./group-record.ts";
import type { WriteObserver } from "./outcome.ts";
import type { ShardPort } from "./shard-port.ts";

export interface WriterOptions {
  readonly instance: string;
  readonly throttle: {
    readonly quiet: number;
    readonly maxDelay: number;
    readonly concurrency: number;
    readonly rate: number;
    readonly routeInterval: number | "auto";
    readonly deleteGrace: number;
  };
  readonly policy: { readonly maxRoutesPerNamespace: number };
  readonly guard: { readonly maxDeletes: number; readonly maxDeleteRatio: number };
}

export interface WriterParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly admin: Admin;
  readonly shards: ShardPort;
  readonly observer: WriteObserver;
  /** Whether what the group rests on is settled and its shard at work: only then is anything of it written. */
  readonly isVisible: (record: GroupRecord) => boolean;
  /**
   * Whether nothing of the group is out of sight: only then is its route cut for another's sake, and does its upstream go
   * that has no route.
   */
  readonly mayGo: (record: GroupRecord) => boolean;
  /** One harmless read of APISIX: true when it answers as APISIX does. */
  readonly probe: () => Promise<boolean>;
  /** Routes that stand in the gateway. */
  readonly routes: () => number;
  readonly refreshForeign: () => Promise<boolean>;
  /** Whether foreign routes were read since APISIX last failed to answer, or just now. */
  readonly isForeignKnown: (lastTrouble: number) => boolean;
  /** A look at one id has found a stranger's route in the place of ours: what was read of foreign routes is out of date. */
  readonly routeTaken: () => void;
  readonly recovered: () => void;
  /** What is to be told of a group may have changed. */
  readonly touched: (record: GroupRecord) => void;
  /** News of declarations that belong to no group. */
  readonly strayed: (change: Change) => void;
  /** A burst is over: what it did not grant waits. */
  readonly burstOver: () => void;
  /** Absent: it is not counted. */
  readonly time?: TimeStage;
  readonly fault: (error: unknown) => void;
}
