/**
 * What every stage needs from the outside world and must be handed, never take: time, scheduling, chance and a
 * place to speak. The deterministic simulation hands the very same stages a virtual clock and a seeded scheduler.
 */

/** Stops a timer; calling it again, or after the timer fired, does nothing. */
export type Cancel = () => void;

export interface Clock {
  /** Milliseconds on a monotonic scale of unknown origin: for intervals, deadlines and ages of looks. */
  now(): number;
  /** Wall clock, milliseconds since 1970: only for what people read. Never compared with `now()`. */
  wall(): number;
  /** Calls `run` once after `ms` milliseconds. */
  after(ms: number, run: () => void): Cancel;
  /** Calls `run` once this turn of the event loop is over (`setImmediate`). */
  soon(run: () => void): Cancel;
}

/** A number in [0, 1), as `Math.random`. */
export type Random = () => number;

/** Does a piece of work that does not wait, and counts how long it took for this stage. */
export type TimeStage = <T>(stage: string, work: () => T) => T;

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured log. `message` is a fixed sentence; what varies goes into `fields`. `warn` and `error` say in the field
 * `advice` what an operator should do.
 */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A log whose lines all carry `fields`. */
  child(fields: LogFields): Log;
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

/** Held once: the global of this name is a getter, which costs more than what it gives. */
const { performance } = globalThis;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  soon(run) {
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  },
};
