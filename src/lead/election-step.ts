import type { Lease } from "./lease.ts";

/** Milliseconds; `duration > renewDeadline > 1.2 × retryPeriod`. */
export interface ElectionTimes {
  /** Without a sign of life for this long a holder has lost the Lease. */
  readonly duration: number;
  /** A holder that has not renewed for this long takes itself for lost: before anybody else may. */
  readonly renewDeadline: number;
  /** Between renewals, and between attempts. */
  readonly retryPeriod: number;
}

/** Somebody else holds the Lease, or nobody is known to. */
interface Observing {
  readonly at: "observing";
  /** As last seen; undefined: it has not been read yet. */
  readonly known: Known | undefined;
  /**
   * Whether there has been a Lease. Where there is none any more somebody deleted it: a holder may not know yet, and
   * what others did between two looks has left no trace. One that we make then is no lead yet: until it has run out we
   * respect it as if it were another's.
   */
  readonly remakes: "never" | "if needed" | "tried";
  /** No attempt before this, after one that failed. */
  readonly retryAt: number;
  /** An attempt is under way. */
  readonly busy: boolean;
}

interface Known {
  /** null: there is no such Lease. */
  readonly lease: Lease | null;
  /** A holder is respected until then, counted from when *we* saw its record change. */
  readonly heldUntil: number;
}

/** We hold the Lease. */
interface Holding {
  readonly at: "holding";
  /** The record that the next renewal replaces; null: somebody deleted it. */
  readonly lease: Lease | null;
  /** When the last successful renewal was *sent*: others count from no earlier. */
  readonly renewedAt: number;
  readonly tryAt: number;
  readonly busy: boolean;
}

/** We held it, and do not, or cannot be sure that we do. There is no way back. */
interface Lost {
  readonly at: "lost";
  readonly reason: string;
}

export type ElectionState = Observing | Holding | Lost;

export type ElectionInput =
  | { readonly type: "tick" }
  /** The Lease as it stands, by the watch, or to a holder by the look that it asked for; null: there is none. */
  | { readonly type: "seen"; readonly lease: Lease | null }
  /** Our write was answered well; `sentAt`: when it was sent, `over`: what it replaced. */
  | {
      readonly type: "written";
      readonly lease: Lease;
      readonly sentAt: number;
      readonly over: Lease | null;
    }
  /** The Lease is not any more what our write was to replace. */
  | { readonly type: "conflict" }
  /** A write, or the look after a conflict, failed: nothing is known of its outcome. */
  | { readonly type: "failed"; readonly sentAt: number }
  /** The holder found itself past its write deadline. */
  | { readonly type: "forfeit"; readonly reason: string };

export type ElectionEffect =
  /** Write the Lease in the place of this one, or make it where there is none. */
  | { readonly type: "write"; readonly over: Lease | null }
  /** Read the Lease now. */
  | { readonly type: "look" };

/** What a step may know beside state and input. */
export interface ElectionContext {
  /** Monotonic: wall clocks decide nothing. */
  readonly now: number;
  /** In [0, 1). */
  readonly random: number;
  /** Ours, and nobody else's, ever. */
  readonly identity: string;
  readonly times: ElectionTimes;
}

export interface ElectionStep {
  readonly state: ElectionState;
  readonly effect?: ElectionEffect;
}

/** client-go's: attempts are between one and 2.2 retry periods apart, so that standbys do not try in step. */
const jitterFactor = 1.2;

export const firstElectionState: ElectionState = {
  at: "observing",
  known: undefined,
  remakes: "never",
  retryAt: Number.NEGATIVE_INFINITY,
  busy: false,
};

/** One step of the election, by client-go's rules. */
export function electionStep(
  state: ElectionState,
  input: ElectionInput,
  context: ElectionContext,
): ElectionStep {
  if (state.at === "lost") return { state };
  return state.at === "observing" ? observe(state, input, context) : hold(state, input, context);
}

/** When the next `tick` is due; infinity: not before something else happens. */
export function electionDue(state: ElectionState, { renewDeadline }: ElectionTimes): number {
  if (state.at === "lost") return Number.POSITIVE_INFINITY;
  if (state.at === "holding") {
    const deadline = state.renewedAt + renewDeadline;
    return state.busy ? deadline : Math.min(deadline, state.tryAt);
  }
  if (state.busy || state.known === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(state.known.heldUntil, state.retryAt);
}

/**
 * The write deadline: APISIX cannot refuse a stale writer, so a request is sent only if it ends, answered or given up,
 * while the Lease is surely ours. `timeout`: milliseconds that the request may take.
 */
export function mayWrite(
  state: ElectionState,
  { now, times }: Pick<ElectionContext, "now" | "times">,
  timeout: number,
): boolean {
  return state.at === "holding" && now + timeout < state.renewedAt + times.renewDeadline;
}

/** A random wait of one to 2.2 retry periods. */
export const jittered = ({ retryPeriod }: Pick<ElectionTimes, "retryPeriod">, random: number): number =>
  retryPeriod * (1 + jitterFactor * random);

function observe(state: Observing, input: ElectionInput, context: ElectionContext): ElectionStep {
  const { now, random, times } = context;
  const retryAt = now + jittered(times, random);
  switch (input.type) {
    case "tick":
      return attempt(state, context);
    case "seen":
      return attempt(seen(state, input.lease, context), context);
    case "written":
      if (input.over === null && state.remakes === "tried")
        return { state: { ...seen(state, input.lease, context), busy: false } };
      return hold(holding(input.lease, input.sentAt, times), { type: "tick" }, context);
    case "conflict":
      return { state: { ...state, busy: false, retryAt }, effect: { type: "look" } };
    case "failed":
      return { state: { ...state, busy: false, retryAt } };
    case "forfeit":
      return { state };
  }
}

function seen(state: Observing, lease: Lease | null, { now, identity, times }: ElectionContext): Observing {
  const { known } = state;
  if (known !== undefined && known.lease?.version === lease?.version) return state;
  // Who holds a Lease that somebody deletes makes it anew when it next renews.
  const held = lease ?? known?.lease ?? null;
  const isHeld = isAnothers(held, identity) || (isOurs(held, identity) && state.remakes === "tried");
  const heldUntil = isHeld ? now + (held?.duration ?? times.duration) : Number.NEGATIVE_INFINITY;
  const remakes = lease !== null && state.remakes === "never" ? "if needed" : state.remakes;
  return { ...state, known: { lease, heldUntil }, remakes, retryAt: Number.NEGATIVE_INFINITY };
}

/** Tries where the Lease is free, run out, not there, or ours by a write that we took for failed. */
function attempt(state: Observing, { now, times }: ElectionContext): ElectionStep {
  if (state.known === undefined || now < electionDue(state, times)) return { state };
  const { lease } = state.known;
  const remakes = lease === null && state.remakes === "if needed" ? "tried" : state.remakes;
  return { state: { ...state, remakes, busy: true }, effect: { type: "write", over: lease } };
}

function holding(lease: Lease, sentAt: number, { retryPeriod }: ElectionTimes): Holding {
  return { at: "holding", lease, renewedAt: sentAt, tryAt: sentAt + retryPeriod, busy: false };
}

function hold(state: Holding, input: ElectionInput, context: ElectionContext): ElectionStep {
  const { now, identity, times } = context;
  // Before anything else: a process that was frozen hears an old answer first, and timers last.
  if (now >= state.renewedAt + times.renewDeadline)
    return lost(`the Lease was not renewed within ${times.renewDeadline} ms`);
  switch (input.type) {
    case "tick":
      return state.busy || now < state.tryAt ? { state } : renew(state);
    case "seen":
      if (!isAnothers(input.lease, identity)) return renew({ ...state, lease: input.lease });
      return lost(`${input.lease?.holder ?? ""} has taken the Lease`);
    case "written":
      return { state: holding(input.lease, input.sentAt, times) };
    case "conflict":
      return { state: { ...state, busy: true }, effect: { type: "look" } };
    case "failed": {
      const tryAt = Math.max(now, input.sentAt + times.retryPeriod);
      return { state: { ...state, busy: false, tryAt } };
    }
    case "forfeit":
      return lost(input.reason);
  }
}

const renew = (state: Holding): ElectionStep => ({
  state: { ...state, busy: true },
  effect: { type: "write", over: state.lease },
});

const lost = (reason: string): ElectionStep => ({ state: { at: "lost", reason } });

const isOurs = (lease: Lease | null, identity: string): boolean => lease?.holder === identity;

const isAnothers = (lease: Lease | null, identity: string): boolean =>
  lease !== null && lease.holder !== "" && !isOurs(lease, identity);
