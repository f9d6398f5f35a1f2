/** `meta/v1.Status`, the body of every error that an API server answers. */
export interface KubeStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: object;
  readonly status: "Failure";
  readonly message: string;
  readonly reason: string;
  readonly details?: object;
  readonly code: number;
}

const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

const messages: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  410: "The provided continue parameter is too old to display a consistent list result.",
  429: "Too many requests, please try again later.",
  500: "Internal error occurred: etcdserver: request timed out",
  503: "apiserver is shutting down",
};

/** The Status for a code, with the message that API servers send, or `message`. */
export function kubeStatus(
  code: number,
  message?: string,
  details?: object,
  metadata: object = {},
): KubeStatus {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata,
    status: "Failure",
    message: message ?? messages[code] ?? `status ${code}`,
    reason: reasons[code] ?? "Unknown",
    ...(details === undefined ? {} : { details }),
    code,
  };
}
