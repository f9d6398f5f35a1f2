/** The journal of the embedded Admin API: how tests check invariants from outside. */
import type { AdminChange } from "./admin-store.ts";
import type { HandlerRequest, RequestSubject } from "./admin-handler.ts";

/** One request, recorded when it was applied or refused, not when it was answered. */
export interface AdminExchange extends RequestSubject {
  /** From 1, in the order of applying. */
  readonly seq: number;
  /** `Clock.now()` when the request arrived, and when it was applied. */
  readonly arrivedAt: number;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** The parsed body of the request; its text where it is not JSON; `undefined` for none. */
  readonly body: unknown;
  /** What APISIX said. The client may have been told something else, or nothing. */
  readonly status: number;
  /** What it changed in the store, in order; empty for a read and for a refusal. */
  readonly changes: readonly AdminChange[];
  /** Through `handle()`, as a stranger does it, not through a transport. */
  readonly direct: boolean;
}

export interface Outcome {
  readonly seq: number;
  readonly arrivedAt: number;
  readonly at: number;
  readonly status: number;
  readonly changes: readonly AdminChange[];
  readonly direct: boolean;
}

/** The body is parsed when somebody looks at it: benches do not. */
export function exchangeOf(
  request: HandlerRequest,
  subject: RequestSubject,
  outcome: Outcome,
): AdminExchange {
  const { method, path, body: text } = request;
  let parsed: { readonly value: unknown } | undefined;
  return {
    ...outcome,
    ...subject,
    method,
    path,
    get body() {
      parsed ??= { value: parse(text) };
      return parsed.value;
    },
  };
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Keeps the last exchanges. */
export class AdminJournal {
  readonly #limit: number;
  #kept: AdminExchange[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  readonly add = (exchange: AdminExchange): void => {
    this.#kept.push(exchange);
    if (this.#kept.length > 2 * this.#limit) this.#kept = this.#kept.slice(-this.#limit);
  };

  /** Oldest first, at most the limit. */
  get exchanges(): readonly AdminExchange[] {
    return this.#kept.slice(-this.#limit);
  }

  /** What was asked to be changed, refused or not; a check of bodies changes nothing. */
  get writes(): readonly AdminExchange[] {
    return this.exchanges.filter(
      ({ method, path }) =>
        method !== "GET" && method !== "HEAD" && method !== "OPTIONS" && !path.includes("/validate"),
    );
  }

  clear(): void {
    this.#kept = [];
  }
}
