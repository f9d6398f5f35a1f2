/** What a process of a bench can be asked: each command a function; arguments and answers pass by structured clone. */
export type Commands = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface Ask {
  readonly number: number;
  readonly command: string;
  readonly args: readonly unknown[];
}

export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly problem: string };

/**
 * Milliseconds on the clock that all processes of one machine share (CLOCK_MONOTONIC). `performance.now()` counts from each
 * process's own start.
 */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
