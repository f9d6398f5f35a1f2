import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { dirname, resolve } from "node:path";
import { fileMark, notRegular } from "../config/file-mark.ts";
import { fileFault } from "../config/file.ts";
import type { Secret } from "../config/secret.ts";
import { TranslatorError } from "../errors.ts";
import { checkedTls, type KubeTls } from "./kube-tls.ts";
import { findContext, type KubeconfigContext, type KubeconfigUser } from "./kubeconfig.ts";

/** Where a cluster is to be found: as in `Config.clusters`. */
export interface ClusterAddress {
  readonly name: string;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly inCluster: boolean;
  /** In place of all that: a kubeconfig that is at hand, or why there is none. */
  readonly inline?: InlineKubeconfig;
}

/**
 * A kubeconfig out of a cluster Secret, `origin` for people: `Secret apisix-translator/east-1`. It must hold everything
 * itself: whoever may write a Secret may not make this process read files or run programs.
 */
export type InlineKubeconfig =
  | { readonly origin: string; readonly text: Secret }
  | { readonly origin: string; readonly fault: string };

/** The process's environment: for in-cluster access and exec plugins. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a context comes to: the server, how to trust it, and the user whose credential is asked for. */
export interface KubeAccess {
  readonly server: URL;
  readonly proxy: URL | undefined;
  readonly tls: KubeTls;
  /** Names files by absolute paths. */
  readonly user: KubeconfigUser;
}

export interface AccessOptions {
  readonly env: Environment;
  /** `Clock.wall()`. */
  readonly wall: number;
}

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Reads the kubeconfig, and each file that it names, once. Nothing is quoted from them: they hold secrets.
 *
 * @throws TranslatorError `KUBE_CREDENTIALS`, naming the file and what is wrong with it.
 */
export async function readAccess(address: ClusterAddress, { env, wall }: AccessOptions): Promise<KubeAccess> {
  const { cluster, user } = await contextOf(address, env);
  const [ca, cert, key] = await Promise.all([
    readPem(cluster.caFile, cluster.caData, "certificate authority"),
    readPem(user.certFile, user.certData, "client certificate"),
    readPem(user.keyFile, user.keyData, "client key"),
  ]);
  const tls = checkedTls(
    {
      ca,
      cert,
      key,
      servername: cluster.tlsServerName,
      rejectUnauthorized: !cluster.insecure,
    },
    wall,
  );
  return {
    server: urlOf(cluster.server, "server", /^https?:$/),
    proxy:
      cluster.proxyUrl === undefined
        ? undefined
        : urlOf(cluster.proxyUrl, "proxy-url", /^(?:https?|socks5):$/),
    tls,
    user,
  };
}

/** The files that access is read from, as far as they can be told now. A pipe is none: it gives its content once. */
export async function accessPaths(address: ClusterAddress, env: Environment): Promise<string[]> {
  const { kubeconfig, inline } = address;
  if (inline !== undefined) return [];
  const own = kubeconfig === undefined ? [] : [resolve(kubeconfig)];
  for (const path of own) if ((await fileMark(path)) === notRegular) return [];
  try {
    const { cluster, user } = await contextOf(address, env);
    const named = [cluster.caFile, user.certFile, user.keyFile, user.tokenFile];
    return [...own, ...named.filter((path) => path !== undefined)];
  } catch {
    // Why is said by whoever reads it for use.
    return own;
  }
}

async function contextOf(address: ClusterAddress, env: Environment): Promise<KubeconfigContext> {
  if (address.inline !== undefined) return selfContained(address.inline, address.context);
  return address.inCluster ? inCluster(env) : fromFile(address);
}

function selfContained(inline: InlineKubeconfig, context: string | undefined): KubeconfigContext {
  const { origin } = inline;
  if ("fault" in inline) throw new TranslatorError("KUBE_CREDENTIALS", `${origin}: ${inline.fault}`);
  const found = findContext(inline.text.reveal(), origin, context);
  const { cluster, user } = found;
  const outside = {
    "certificate-authority": cluster.caFile,
    "client-certificate": user.certFile,
    "client-key": user.keyFile,
    tokenFile: user.tokenFile,
    exec: user.exec,
    "auth-provider": user.authProvider,
  };
  for (const [field, value] of Object.entries(outside)) {
    if (value === undefined) continue;
    const why = "a kubeconfig in a Secret holds everything itself: no files, no programs";
    throw new TranslatorError(
      "KUBE_CREDENTIALS",
      `kubeconfig ${origin}: ${field} is not allowed here; ${why}`,
    );
  }
  return found;
}

async function fromFile({ kubeconfig = "", context }: ClusterAddress): Promise<KubeconfigContext> {
  const found = findContext(await readText(kubeconfig, "kubeconfig"), kubeconfig, context);
  const folder = dirname(resolve(kubeconfig));
  const absolute = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(folder, path);
  const { cluster, user } = found;
  return {
    cluster: { ...cluster, caFile: absolute(cluster.caFile) },
    user: {
      ...user,
      certFile: absolute(user.certFile),
      keyFile: absolute(user.keyFile),
      tokenFile: absolute(user.tokenFile),
    },
  };
}

/** As every Pod finds its own API server. */
function inCluster(env: Environment): KubeconfigContext {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    throw new TranslatorError(
      "KUBE_CREDENTIALS",
      "inCluster: this process does not run in a Pod of a cluster",
    );
  }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    cluster: { server, caFile: `${serviceAccount}/ca.crt`, insecure: false },
    user: { tokenFile: `${serviceAccount}/token` },
  };
}

async function readPem(
  file: string | undefined,
  data: string | undefined,
  what: string,
): Promise<Buffer | undefined> {
  if (data !== undefined) return Buffer.from(data, "base64");
  return file === undefined ? undefined : Buffer.from(await readText(file, what));
}

/** @throws TranslatorError `KUBE_CREDENTIALS`: "`what` `path` cannot be read: there is no such file" */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new TranslatorError("KUBE_CREDENTIALS", `${what} ${path} cannot be read: ${fileFault(error)}`);
  }
}

function urlOf(text: string, what: string, protocols: RegExp): URL {
  const url = URL.parse(text);
  if (url !== null && protocols.test(url.protocol)) return url;
  throw new TranslatorError("KUBE_CREDENTIALS", `the kubeconfig's ${what} is not a URL that can be used`);
}
