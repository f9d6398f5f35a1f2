import type { Lease, LeaseClaim } from "./lease.ts";

export type LeaseWritten =
  | { readonly type: "written"; readonly lease: Lease }
  /** Another write came first: what was to be replaced stands no more. */
  | { readonly type: "conflict" };

/**
 * One Lease. Whatever fails is a `TranslatorError` with `KUBE_CONNECTION`, `KUBE_CREDENTIALS`, `KUBE_STATUS`,
 * `KUBE_PROTOCOL` or `ABORTED`; a write that fails may have been applied, or be applied later.
 */
export interface LeaseApi {
  /** null: the API server says that there is no such Lease. */
  read(signal: AbortSignal): Promise<Lease | null>;
  /** Takes or renews the Lease in the place of `over`; null: makes it. */
  claim(claim: LeaseClaim, over: Lease | null, signal: AbortSignal): Promise<LeaseWritten>;
  /** Gives it up. */
  release(over: Lease, signal: AbortSignal): Promise<LeaseWritten>;
  /** Tells each change after `version`; resolves when the server ends the stream. */
  watch(version: string, signal: AbortSignal, seen: (lease: Lease | null) => void): Promise<void>;
  close(): Promise<void>;
}
