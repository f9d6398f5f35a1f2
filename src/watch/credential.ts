import type { KubeConfig } from "@kubernetes/client-node";
import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { ExecCredential, type RunPlugin } from "./exec-credential.ts";
import { readText } from "./kube-access.ts";
import type { KubeconfigUser } from "./kubeconfig.ts";

/** What a request carries to say who we are. */
export interface Identification {
  /** `Bearer …` or `Basic …`; undefined where a client certificate speaks, or nobody. */
  readonly authorization: string | undefined;
  /** A client certificate that an exec plugin gave, PEM. */
  readonly certificate?: { readonly cert: Buffer; readonly key: Buffer };
}

/** Source of a user's identification: asked before each request, and so it must be cheap while nothing has changed. */
export interface Credential {
  /** @throws TranslatorError `KUBE_CREDENTIALS` */
  current(): Promise<Identification>;
  /** The server answered 401: what was read is not good any more. */
  refused(): void;
}

/** client-go reads token files once a minute; kubelet replaces them long before they expire. */
const fileTokenLife = 60_000;
/** Tokens of auth providers live at least several minutes. */
const providerLife = 60_000;

/** The credential that a kubeconfig's user asks for. */
export function credentialOf(user: KubeconfigUser, clock: Clock, run: RunPlugin): Credential {
  const { token, tokenFile, exec, username, password = "", authProvider } = user;
  if (tokenFile !== undefined)
    return new CachedCredential(clock, fileTokenLife, async () => `Bearer ${await readToken(tokenFile)}`);
  if (token !== undefined) return fixed(`Bearer ${token.trim()}`);
  if (exec !== undefined) return new ExecCredential(exec, clock, run);
  if (username !== undefined) {
    return fixed(`Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`);
  }
  return authProvider === undefined
    ? fixed(undefined)
    : new CachedCredential(clock, providerLife, provider(authProvider));
}

/** OIDC and the clouds' old auth providers, by client-node, which is loaded for them alone and keeps their tokens. */
function provider(authProvider: unknown): () => Promise<string | undefined> {
  let loading: Promise<KubeConfig> | undefined;
  return async () => {
    loading ??= import("@kubernetes/client-node").then((library) => {
      const config = new library.KubeConfig();
      const nowhere = { name: "none", server: "https://localhost", skipTLSVerify: false };
      config.loadFromClusterAndUser(nowhere, { name: "user", authProvider });
      return config;
    });
    const options: { headers: Record<string, string> } = { headers: {} };
    try {
      await (await loading).applyToHTTPSOptions(options);
    } catch {
      // Its errors may quote what the provider answered.
      throw new TranslatorError("KUBE_CREDENTIALS", "the kubeconfig's auth provider gave no token");
    }
    return options.headers["Authorization"];
  };
}

function fixed(authorization: string | undefined): Credential {
  const identification = Promise.resolve({ authorization });
  return { current: () => identification, refused: () => {} };
}

/** Reads again after `life` milliseconds, or once the server has refused; concurrent requests share one reading. */
class CachedCredential implements Credential {
  readonly #clock: Clock;
  readonly #life: number;
  readonly #read: () => Promise<string | undefined>;
  #reading: Promise<Identification> | undefined;
  #readAt = 0;

  constructor(clock: Clock, life: number, read: () => Promise<string | undefined>) {
    this.#clock = clock;
    this.#life = life;
    this.#read = read;
  }

  current(): Promise<Identification> {
    const now = this.#clock.now();
    if (this.#reading !== undefined && now - this.#readAt < this.#life) return this.#reading;
    this.#readAt = now;
    const reading = this.#read().then((authorization) => ({ authorization }));
    this.#reading = reading;
    reading.catch(() => this.refused());
    return reading;
  }

  refused(): void {
    this.#reading = undefined;
  }
}

/** @throws TranslatorError `KUBE_CREDENTIALS` */
export async function readToken(path: string): Promise<string> {
  const token = (await readText(path, "token file")).trim();
  if (token === "" || /[^\x21-\x7e]/.test(token)) {
    throw new TranslatorError("KUBE_CREDENTIALS", `the token file ${path} holds no token`);
  }
  return token;
}
