import type { Clock } from "../../src/runtime.ts";
import { systemClock } from "../../src/runtime.ts";

/**
 * The system's clock, `speed` times as fast: what the translator does after 10 s it does after 0.2 s at 50. Sockets keep
 * their own pace, so limits on a request's time must be given accordingly.
 */
export function quickClock(speed: number): Clock {
  return {
    now: () => performance.now() * speed,
    wall: () => Date.now(),
    after: (ms, run) => systemClock.after(ms / speed, run),
    soon: (run) => systemClock.soon(run),
  };
}
