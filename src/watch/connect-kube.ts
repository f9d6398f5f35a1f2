import { errors, type Dispatcher } from "undici";
import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { printable } from "./api-status.ts";
import { AccessFiles } from "./access-files.ts";
import { credentialOf, readToken, type Credential } from "./credential.ts";
import type { RunPlugin } from "./exec-credential.ts";
import { accessPaths, readAccess } from "./kube-access.ts";
import type { ClusterAddress, Environment, KubeAccess } from "./kube-access.ts";
import { checkedTls } from "./kube-tls.ts";
import { kubeDispatcher } from "./kube-dispatcher.ts";
import { KubeExchange } from "./kube-exchange.ts";
import type { KubeconfigUser } from "./kubeconfig.ts";
import type { KubeConnection } from "./kube-connection.ts";
import { pluginRunner } from "./run-plugin.ts";
import { unecho, unechoed } from "../unechoed.ts";
import type { KubeRequest, KubeResponse } from "./transport.ts";

export interface ConnectOptions {
  readonly clock: Clock;
  readonly env: Environment;
  /** Runs exec plugins; default: as child processes. */
  readonly runPlugin?: RunPlugin;
  /**
   * What files hold is used as it was read when connecting, and `whenStale` says when it has changed. Otherwise a token
   * file is read again now and then, and nothing else is.
   */
  readonly pinned?: boolean;
  /** Nobody waits for the connection any more. Once there is one, it is ended by `close`. */
  readonly signal?: AbortSignal;
}

/** Outer nets in milliseconds; the watch stage's own limits are shorter and know what they wait for. */
const listTimeouts = { headersTimeout: 60_000, bodyTimeout: 60_000 };
/** An API server may send nothing for as long as nothing changes. */
const watchTimeouts = { headersTimeout: 60_000, bodyTimeout: 0 };

/**
 * Opens one session to a cluster: reads kubeconfig and credentials now, sockets are opened by the first requests.
 *
 * @throws TranslatorError `KUBE_CREDENTIALS`, `ABORTED`
 */
export async function connectKube(address: ClusterAddress, options: ConnectOptions): Promise<KubeConnection> {
  const { clock, env, runPlugin = pluginRunner({ clock, env }), pinned = false, signal } = options;
  const files = pinned ? await AccessFiles.of(clock, await accessPaths(address, env)) : undefined;
  const access = await readAccess(address, { env, wall: clock.wall() });
  const user = pinned ? await withToken(access.user) : access.user;
  if (signal?.aborted === true) throw calledOff();
  // A plugin that hangs would go on for a minute after its cluster has left.
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const credential = credentialOf(user, clock, (call) => runPlugin(call, ended.signal));
  signal?.addEventListener("abort", end, { once: true });
  try {
    await credential.current();
  } finally {
    signal?.removeEventListener("abort", end);
  }
  const sender = new KubeSender(access, credential, clock);
  return Object.assign((request: KubeRequest) => sender.send(request), {
    close() {
      end();
      files?.stop();
      return sender.close();
    },
    ...(files === undefined ? {} : { whenStale: (run: () => void) => files.start(run) }),
  });
}

async function withToken(user: KubeconfigUser): Promise<KubeconfigUser> {
  const { tokenFile, ...rest } = user;
  return tokenFile === undefined ? user : { ...rest, token: await readToken(tokenFile) };
}

class KubeSender {
  readonly #access: KubeAccess;
  readonly #credential: Credential;
  readonly #clock: Clock;
  #dispatcher: Dispatcher;
  /** The client certificate that the dispatcher was made with, where a plugin gave it. */
  #certificate: Buffer | undefined;

  constructor(access: KubeAccess, credential: Credential, clock: Clock) {
    this.#access = access;
    this.#credential = credential;
    this.#clock = clock;
    this.#dispatcher = kubeDispatcher(access);
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async send(request: KubeRequest): Promise<KubeResponse> {
    const { method = "GET", path, accept, body: text, contentType = "application/json", signal } = request;
    const { authorization, certificate } = await this.#credential.current();
    if (signal.aborted) throw calledOff();
    if (certificate !== undefined && !this.#certificate?.equals(certificate.cert)) this.#renew(certificate);
    const { server, user } = this.#access;
    const timeouts = /[?&]watch=(?:1|true)(?:&|$)/.test(path) ? watchTimeouts : listTimeouts;
    const base = server.pathname.replace(/\/$/, "");
    try {
      const exchange = new KubeExchange(signal);
      const asked = {
        origin: server.origin,
        path: `${base}${path}`,
        method,
        body: text ?? null,
        headers: {
          accept,
          ...(text === undefined ? {} : { "content-type": contentType }),
          "user-agent": "apisix-translator",
          ...(authorization === undefined ? {} : { authorization }),
          ...(user.impersonate === undefined ? {} : { "impersonate-user": user.impersonate }),
        },
        ...timeouts,
      };
      this.#dispatcher.dispatch(asked, exchange);
      const { status, headers, body } = await exchange.answer;
      if (status === 401) this.#credential.refused();
      const said = chunks(body, signal);
      const retryAfter = retryAfterOf(headers["retry-after"]);
      const date = Date.parse(String(headers["date"] ?? ""));
      return {
        status,
        contentType: String(headers["content-type"] ?? "").toLowerCase(),
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(Number.isNaN(date) ? {} : { date }),
        ...(authorization === undefined
          ? { body: said }
          : {
              body: status < 400 ? said : unechoed(said, authorization),
              unecho: (text) => unecho(text, authorization),
            }),
      };
    } catch (error) {
      throw asTranslatorError(error, signal);
    }
  }

  /** Requests in flight end in their own time on the old certificate. */
  #renew({ cert, key }: { readonly cert: Buffer; readonly key: Buffer }): void {
    const old = this.#dispatcher;
    const tls = checkedTls({ ...this.#access.tls, cert, key }, this.#clock.wall());
    this.#dispatcher = kubeDispatcher({ ...this.#access, tls });
    this.#certificate = cert;
    void old.close();
  }
}

async function* chunks(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body;
  } catch (error) {
    throw asTranslatorError(error, signal);
  }
}

/** Seconds, or a date that nobody sends: API servers send seconds. */
function retryAfterOf(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^[0-9]{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function asTranslatorError(error: unknown, signal: AbortSignal): TranslatorError {
  if (error instanceof TranslatorError) return error;
  if (signal.aborted || error instanceof errors.RequestAbortedError) return calledOff();
  // Without a cause: what undici hangs on its errors (sockets, proxies) may hold secrets.
  return new TranslatorError("KUBE_CONNECTION", `the connection failed: ${printable(reasonOf(error))}`);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  // Several addresses were tried: the error has one cause for each and no message.
  if (error instanceof AggregateError && error.message === "") return reasonOf(error.errors[0]);
  if ("code" in error && notTrusted.has(error.code))
    return `the certificate-authority that is trusted does not fit this server's certificate (${String(error.code)})`;
  return error.message === "" ? error.name : error.message;
}

/** Node's own words for these end in advice about its flags. */
const notTrusted: ReadonlySet<unknown> = new Set([
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
  ...["SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_SIGNATURE_FAILURE"],
]);

function calledOff(): TranslatorError {
  return new TranslatorError("ABORTED", "the request was called off");
}
