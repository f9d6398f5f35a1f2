import type { Clock } from "./runtime.ts";

/** Whether it ended within so many milliseconds; what it rejects with is passed on. */
export async function within(clock: Clock, ms: number, work: Promise<unknown> | undefined): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.after(ms, () => resolve(false));
  try {
    return await Promise.race([promise, Promise.resolve(work).then(() => true)]);
  } finally {
    cancel();
  }
}
