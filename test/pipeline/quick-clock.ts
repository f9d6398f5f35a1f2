import type { Cancel, Clock } from "../../src/runtime.ts";
import { systemClock } from "../../src/runtime.ts";

/** Milliseconds of the wall between two looks at the clock, as long as a timer waits. */
const lookEvery = 10;
/** How many of them count. */
const mostBetween = 2 * lookEvery;

interface Timer {
  readonly due: number;
  readonly run: () => void;
  soon?: Cancel;
}

/**
 * A clock `speed` times as fast as the wall: what the translator does after 10 s it does after 0.2 s at 50. Sockets keep
 * their own pace, so limits on a request's time must be given accordingly.
 *
 * It counts no more than a few milliseconds for a turn of the event loop, however long this process had to wait for a busy
 * machine meanwhile: both ends of the sockets are in this process, and what neither of them could do is not late.
 */
export function quickClock(speed: number): Clock {
  let last = performance.now();
  let passed = 0;
  const timers = new Set<Timer>();
  let armed: { readonly due: number; readonly cancel: Cancel } | undefined;

  const now = (): number => {
    const wall = performance.now();
    passed += Math.min(wall - last, mostBetween) * speed;
    last = wall;
    return passed;
  };
  const arm = (): void => {
    const due = Math.min(...[...timers].map((timer) => timer.due));
    if (due === Number.POSITIVE_INFINITY || (armed !== undefined && armed.due <= due)) return;
    armed?.cancel();
    const wait = Math.min(lookEvery, Math.max(0, due - now()) / speed);
    armed = { due, cancel: systemClock.after(wait, ring) };
  };
  const ring = (): void => {
    armed = undefined;
    const at = now();
    for (const timer of [...timers].filter(({ due }) => due <= at).toSorted((a, b) => a.due - b.due)) {
      timers.delete(timer);
      // Each in a turn of its own: what one has promised is done before the next.
      timer.soon = systemClock.soon(timer.run);
    }
    arm();
  };
  return {
    now,
    wall: () => Date.now(),
    after(ms, run) {
      const timer: Timer = { due: now() + ms, run };
      timers.add(timer);
      arm();
      return () => {
        timers.delete(timer);
        timer.soon?.();
      };
    },
    soon: (run) => systemClock.soon(run),
  };
}
