/**
 * The closed list of error codes. A caller decides by `code`, never by message. Stages report what is wrong with
 * *data* as values (problems, degraded reasons, results); an error is for what stops an operation.
 */
const errorCodes = [
  /** The configuration cannot be used; `problems` holds every reason. */
  "CONFIG_INVALID",
  /** The command line cannot be understood. */
  "USAGE",
  /** A kubeconfig is missing or broken, or a credential cannot be obtained. */
  "KUBE_CREDENTIALS",
  /** A Kubernetes API server cannot be reached, or the connection broke. */
  "KUBE_CONNECTION",
  /** A Kubernetes API server answered with an error status; `status` holds it. */
  "KUBE_STATUS",
  /** A Kubernetes API server, or something before it, sent what no API server sends. */
  "KUBE_PROTOCOL",
  /** A cluster's name answers with the identity of another cluster. */
  "KUBE_IDENTITY",
  /** The Admin API cannot be reached, or the connection broke. */
  "ADMIN_CONNECTION",
  /** The Admin API answered with an error status; `status` holds it. */
  "ADMIN_STATUS",
  /** The Admin API, or something before it, sent what no Admin API sends. */
  "ADMIN_PROTOCOL",
  /** A message between threads cannot be understood: a bug. */
  "SHARD_PROTOCOL",
  /** A worker thread did not start, died or stopped answering. */
  "SHARD_LOST",
  /** The operation was called off. */
  "ABORTED",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorDetails {
  readonly cause?: unknown;
  /** HTTP status, where a far side answered with one. */
  readonly status?: number;
  /** Milliseconds after which the far side asked to be called again. */
  readonly retryAfter?: number;
  /** Each thing that is wrong, one line each. */
  readonly problems?: readonly string[];
}

export class TranslatorError extends Error {
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly problems: readonly string[];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "TranslatorError";
    this.code = code;
    this.status = details.status;
    this.retryAfter = details.retryAfter;
    this.problems = details.problems ?? [];
  }
}
