import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import type { Credential, Identification } from "./credential.ts";

/** A command to run for a credential. `env` comes on top of the process's own environment. */
export interface PluginCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the command and gives its standard output. `signal`: nobody waits for it any more.
 *
 * @throws TranslatorError `KUBE_CREDENTIALS`
 */
export type RunPlugin = (call: PluginCall, signal?: AbortSignal) => Promise<string>;

/** A credential is asked for anew so long before it expires; one that lives shorter than that, after half its life. */
const expiryMargin = 30_000;

interface Held {
  readonly identification: Identification;
  /** Wall clock; Infinity: good until refused. */
  readonly renewAt: number;
}

/** An exec plugin (`client.authentication.k8s.io`): run once for all who wait, and again shortly before expiry or after a 401. */
export class ExecCredential implements Credential {
  readonly #call: PluginCall;
  readonly #clock: Clock;
  readonly #run: RunPlugin;
  #running: Promise<Identification> | undefined;
  #held: Held | undefined;

  constructor(exec: unknown, clock: Clock, run: RunPlugin) {
    this.#clock = clock;
    this.#run = run;
    this.#call = pluginCall(exec);
  }

  async current(): Promise<Identification> {
    if (this.#held !== undefined && this.#clock.wall() < this.#held.renewAt) {
      return this.#held.identification;
    }
    this.#running ??= this.#obtain().finally(() => (this.#running = undefined));
    return this.#running;
  }

  refused(): void {
    this.#held = undefined;
  }

  async #obtain(): Promise<Identification> {
    this.#held = readAnswer(await this.#run(this.#call), this.#clock.wall());
    return this.#held.identification;
  }
}

function pluginCall(exec: unknown): PluginCall {
  const { command, args = [], env = [], apiVersion, interactiveMode } = asRecord(exec);
  if (typeof command !== "string" || command === "")
    throw failed("the kubeconfig's exec plugin has no command");
  if (interactiveMode === "Always") throw failed("the kubeconfig's exec plugin wants a terminal");
  const version = typeof apiVersion === "string" ? apiVersion : "client.authentication.k8s.io/v1";
  const info = { apiVersion: version, kind: "ExecCredential", spec: { interactive: false } };
  const extra: Record<string, string> = { KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  for (const entry of Array.isArray(env) ? env : []) {
    const { name, value } = asRecord(entry);
    if (typeof name === "string" && typeof value === "string") extra[name] = value;
  }
  return { command, args: Array.isArray(args) ? args.map(String) : [], env: extra };
}

function readAnswer(text: string, now: number): Held {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw failed("the kubeconfig's exec plugin answered what is not JSON");
  }
  const { status } = asRecord(answer);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = asRecord(status);
  const expires = typeof expirationTimestamp === "string" ? Date.parse(expirationTimestamp) : Infinity;
  const authorization = typeof token === "string" && token !== "" ? `Bearer ${token.trim()}` : undefined;
  const certified = typeof cert === "string" && cert !== "" && typeof key === "string" && key !== "";
  if (authorization === undefined && !certified) {
    throw failed("the kubeconfig's exec plugin gave neither token nor certificate");
  }
  if (Number.isNaN(expires))
    throw failed("the kubeconfig's exec plugin gave an expirationTimestamp that is no time");
  const certificate = certified ? { certificate: { cert: Buffer.from(cert), key: Buffer.from(key) } } : {};
  const life = expires - now;
  return {
    identification: { authorization, ...certificate },
    renewAt: now + Math.max(life - expiryMargin, life / 2),
  };
}

function failed(message: string): TranslatorError {
  return new TranslatorError("KUBE_CREDENTIALS", message);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
