import type { User } from "@kubernetes/client-node";
import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import { ExecCredential, type RunPlugin } from "./exec-credential.ts";
import { readText, type KubeAccess } from "./kube-access.ts";

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
/** Providers of client-node keep their own expiry; this only bounds how often they are asked. */
const providerLife = 60_000;

/** The credential that a kubeconfig's user asks for. */
export function credentialOf({ user, config, server }: KubeAccess, clock: Clock, run: RunPlugin): Credential {
  if (user.token) return fixed(`Bearer ${user.token.trim()}`);
  const tokenFile = tokenFileOf(user);
  if (tokenFile !== undefined) return new CachedCredential(clock, fileTokenLife, () => readToken(tokenFile));
  if (user.exec) return new ExecCredential(user.exec, { clock, run, server });
  if (user.username) {
    const pair = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return fixed(`Basic ${pair}`);
  }
  if (!user.authProvider) return fixed(undefined);
  return new CachedCredential(clock, providerLife, async () => {
    const options: { headers: Record<string, string> } = { headers: {} };
    try {
      await config.applyToHTTPSOptions(options);
    } catch {
      // Its errors may quote the provider's answer.
      throw new TranslatorError("KUBE_CREDENTIALS", "the kubeconfig's auth provider gave no token");
    }
    return options.headers["Authorization"];
  });
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

function tokenFileOf(user: User): string | undefined {
  const provider: unknown = user.authProvider;
  if (typeof provider !== "object" || provider === null || !("config" in provider)) return undefined;
  const { config } = provider;
  if (typeof config !== "object" || config === null || !("tokenFile" in config)) return undefined;
  return typeof config.tokenFile === "string" ? config.tokenFile : undefined;
}

async function readToken(path: string): Promise<string> {
  const token = (await readText(path, `the token file ${path}`)).trim();
  if (token === "" || /[^\x21-\x7e]/.test(token)) {
    throw new TranslatorError("KUBE_CREDENTIALS", `the token file ${path} holds no token`);
  }
  return `Bearer ${token}`;
}
