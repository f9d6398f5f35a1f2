/** What an endpoint answers. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function jsonReply(status: number, body: unknown): Reply {
  return { status, type: "application/json; charset=utf-8", text: `${JSON.stringify(body)}\n` };
}

export function errorReply(
  status: number,
  error: string,
  more: Readonly<Record<string, unknown>> = {},
): Reply {
  return jsonReply(status, { error, ...more });
}
