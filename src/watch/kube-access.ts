import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { createSecureContext } from "node:tls";
import type { Cluster, KubeConfig, User } from "@kubernetes/client-node";
import { parseDocument } from "yaml";
import { TranslatorError } from "../errors.ts";

/** Where a cluster is to be found: as in `Config.clusters`. */
export interface ClusterAddress {
  readonly name: string;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly inCluster: boolean;
}

/** What a kubeconfig's context comes to: the server, how to trust it, and the user whose credential is asked for. */
export interface KubeAccess {
  readonly server: URL;
  readonly proxy: URL | undefined;
  readonly tls: KubeTls;
  /** Of client-node; names files by absolute paths. */
  readonly user: User;
  readonly config: KubeConfig;
}

/** PEM throughout. */
export interface KubeTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

const noUser: User = { name: "" };

/**
 * Reads the kubeconfig, and each file that it names, once. Nothing is quoted from them: they hold secrets.
 *
 * @throws TranslatorError `KUBE_CREDENTIALS`, naming the cluster's file and what is wrong with it.
 */
export async function readAccess(address: ClusterAddress): Promise<KubeAccess> {
  const config = await loadConfig(address);
  const { cluster, user } = chosen(config, address);
  const server = url(cluster.server, "server");
  const proxy = cluster.proxyUrl ? url(cluster.proxyUrl, "proxy-url") : undefined;
  if (server.protocol !== "https:" && server.protocol !== "http:")
    throw broken("its server is not an http or https URL");
  if (proxy !== undefined && !/^(?:https?|socks5):$/.test(proxy.protocol)) {
    throw broken("its proxy-url is not an http, https or socks5 URL");
  }
  return { server, proxy, tls: await readTls(cluster, user), user, config };
}

/** Checks certificate and key together. @throws TranslatorError `KUBE_CREDENTIALS` */
export function checkedTls(tls: KubeTls): KubeTls {
  const { ca, cert, key } = tls;
  if ((cert === undefined) !== (key === undefined)) {
    throw broken(
      `it has a client ${cert === undefined ? "key but no certificate" : "certificate but no key"}`,
    );
  }
  try {
    if (ca !== undefined) new X509Certificate(ca);
  } catch {
    throw broken("its certificate authority is not a certificate in PEM");
  }
  try {
    createSecureContext({ ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) });
  } catch {
    throw broken("its client certificate and key cannot be used: not PEM, or not a pair");
  }
  return tls;
}

async function loadConfig(address: ClusterAddress): Promise<KubeConfig> {
  // Loading client-node costs 100 ms and 30 MB: only processes that speak to a cluster pay.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  if (address.inCluster) {
    config.loadFromCluster();
    return config;
  }
  const path = address.kubeconfig ?? "";
  const text = await readText(path, `the kubeconfig ${path}`);
  const value = namesOfTokenFiles(parseYaml(text, path), dirname(resolve(path)));
  try {
    config.loadFromString(JSON.stringify(value));
  } catch (error) {
    // client-node says `users[0].name is missing` and the like; other errors are its own stumbling over the shape.
    const said =
      error instanceof Error && error.message.endsWith(" is missing") ? error.message : "not a kubeconfig";
    throw broken(`${path}: ${said}`);
  }
  config.makePathsAbsolute(dirname(resolve(path)));
  return config;
}

function parseYaml(text: string, path: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw broken(`${path} is not YAML (${error.code} at character ${error.pos[0]})`);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (isRecord(value)) return value;
  throw broken(`${path} is not a kubeconfig`);
}

/** client-node knows kubeconfig's `tokenFile` only as an auth provider. */
function namesOfTokenFiles(value: unknown, folder: string): unknown {
  if (!isRecord(value) || !Array.isArray(value["users"])) return value;
  const users = value["users"].map((entry: unknown) => {
    const user = isRecord(entry) ? entry["user"] : undefined;
    if (!isRecord(entry) || !isRecord(user) || typeof user["tokenFile"] !== "string") return entry;
    const { tokenFile, "token-file": _misspelt, ...rest } = user;
    const provider = { name: "tokenFile", config: { tokenFile: resolve(folder, tokenFile as string) } };
    return { ...entry, user: { ...rest, "auth-provider": provider } };
  });
  return { ...value, users };
}

function chosen(config: KubeConfig, address: ClusterAddress): { cluster: Cluster; user: User } {
  const wanted = address.context ?? config.getCurrentContext();
  const context = wanted ? config.getContextObject(wanted) : null;
  if (context === null) {
    const known = config.getContexts().map(({ name }) => `"${name}"`);
    const which = wanted ? `no context "${wanted}"` : "no current context";
    throw broken(`${address.kubeconfig ?? ""} has ${which}; it has ${known.join(", ") || "none"}`);
  }
  config.setCurrentContext(context.name);
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw broken(`the context "${context.name}" names a cluster that is not there`);
  const user = config.getCurrentUser();
  if (user === null && context.user)
    throw broken(`the context "${context.name}" names a user that is not there`);
  return { cluster, user: user ?? noUser };
}

async function readTls(cluster: Cluster, user: User): Promise<KubeTls> {
  const [ca, cert, key] = await Promise.all([
    readPem(cluster.caFile, cluster.caData, "certificate authority"),
    readPem(user.certFile, user.certData, "client certificate"),
    readPem(user.keyFile, user.keyData, "client key"),
  ]);
  return checkedTls({
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster.tlsServerName ? { servername: String(cluster.tlsServerName) } : {}),
    rejectUnauthorized: cluster.skipTLSVerify !== true,
  });
}

async function readPem(file: unknown, data: unknown, what: string): Promise<Buffer | undefined> {
  if (file) return Buffer.from(await readText(String(file), `the ${what} ${String(file)}`));
  return data ? Buffer.from(String(data), "base64") : undefined;
}

/** @throws TranslatorError `KUBE_CREDENTIALS` "`what` cannot be read: ENOENT" */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new TranslatorError("KUBE_CREDENTIALS", `${what} cannot be read: ${code}`);
  }
}

function url(text: unknown, what: string): URL {
  const parsed = typeof text === "string" ? URL.parse(text) : null;
  if (parsed === null) throw broken(`its ${what} is not a URL`);
  return parsed;
}

function broken(problem: string): TranslatorError {
  return new TranslatorError("KUBE_CREDENTIALS", `the kubeconfig cannot be used: ${problem}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
