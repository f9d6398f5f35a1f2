import { TranslatorError } from "../errors.ts";
import { readAnswer, type Answer } from "./answer.ts";
import {
  faultOfUrl,
  judgeCheck,
  judgePut,
  judgeRead,
  judgeRemove,
  type CheckResult,
  type ReadResult,
  type Subject,
  type WriteResult,
} from "./judge-answer.ts";
import { NotSent } from "./not-sent.ts";
import { checkOf, checkPath, objectPath } from "./resource-path.ts";
import type { AdminMethod, AdminRequest, AdminResponse, AdminTransport } from "./transport.ts";
import type { Resource } from "./types.ts";

export interface AdminClientOptions {
  readonly transport: AdminTransport;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
}

/**
 * Writes and reads single objects. Every way in which a request can end is a result, sorted by what may be done next;
 * nothing is retried here.
 */
export class AdminClient {
  readonly #options: AdminClientOptions;

  constructor(options: AdminClientOptions) {
    this.#options = options;
  }

  /** `body` is the text of a `sealed` body. */
  async put(resource: Resource, id: string, body: string): Promise<WriteResult> {
    const subject = { resource, id };
    return this.#send("PUT", subject, (answer) => judgePut(subject, answer), body);
  }

  /** Never forced. What is not there is done. */
  async remove(resource: Resource, id: string): Promise<WriteResult> {
    const subject = { resource, id };
    return this.#send("DELETE", subject, (answer) => judgeRemove(subject, answer));
  }

  /** The object as it stands, with the fields that the server adds. */
  async read(resource: Resource, id: string): Promise<ReadResult> {
    const subject = { resource, id };
    const result = await this.#send("GET", subject, (answer) => judgeRead(subject, answer));
    return result.type === "unknown" ? { ...result, type: "retry" } : result;
  }

  /** Whether APISIX would accept this body, as the text of a `sealed` one; nothing is written. */
  async check(resource: Resource, body: string): Promise<CheckResult> {
    const request = { method: "POST", path: checkPath, body: checkOf(resource, body) } as const;
    const result = await this.#ask(request, judgeCheck);
    // Another way into APISIX may be open all the same: it is held against this id alone.
    return result.type === "unknown" ? { ...result, type: "retry", scope: "id" } : result;
  }

  #send<Result extends WriteResult | ReadResult>(
    method: AdminMethod,
    { resource, id }: Subject,
    judge: (answer: Answer) => Result,
    body?: string,
  ): Promise<Result | NoAnswer> {
    const path = objectPath(resource, id);
    return this.#ask({ method, path, ...(body === undefined ? {} : { body }) }, judge);
  }

  async #ask<Result extends WriteResult | ReadResult | CheckResult>(
    request: Pick<AdminRequest, "method" | "path" | "body">,
    judge: (answer: Answer) => Result,
  ): Promise<Result | NoAnswer> {
    const { transport, timeout, signal } = this.#options;
    let response: AdminResponse | undefined;
    try {
      response = await transport({ ...request, timeout, ...(signal === undefined ? {} : { signal }) });
      const result = judge(await readAnswer(response));
      response.judged?.(faultOfUrl(result));
      return result;
    } catch (error) {
      const result = noAnswer(error);
      const fault = faultOfUrl(result);
      if (fault !== undefined) response?.judged?.(fault);
      return result;
    }
  }
}

type NoAnswer = Extract<WriteResult, { readonly type: "retry" | "unknown" }>;

/** @throws whatever is not a failed request: a bug. */
function noAnswer(error: unknown): NoAnswer {
  if (!(error instanceof TranslatorError)) throw error;
  if (error.code === "ABORTED") return { type: "unknown", reason: error.message, scope: "id" };
  if (error.code !== "ADMIN_CONNECTION") throw error;
  const type = error.cause instanceof NotSent ? "retry" : "unknown";
  return { type, reason: error.message, scope: "gateway" };
}
