import type { TranslatorError } from "../errors.ts";

/** client-go's reflector: 0.8 s doubled up to 30 s. */
const base = 800;
const most = 30_000;

/**
 * The upper end, in milliseconds, of the wait after so many failures (from 1) in a row. The wait is a random part of it
 * (full jitter), so that a fleet that lost its connections together does not come back in step.
 */
export function backoffLimit(failures: number): number {
  return Math.min(most, base * 2 ** (failures - 1));
}

/** A far side that asks for more must not put a cluster out of sight. */
const retryAfterMost = 60_000;

/** Milliseconds of the error's Retry-After, at most a minute; 0 without one. */
export function believedRetryAfter({ retryAfter = 0 }: TranslatorError): number {
  return Math.min(retryAfterMost, Math.max(0, retryAfter));
}
