import { parseDocument } from "yaml";
import { TranslatorError } from "../errors.ts";

/** One cluster of a kubeconfig. Files may be relative to the kubeconfig's folder; `…Data` is base64. */
interface KubeconfigCluster {
  readonly server: string;
  readonly caFile?: string | undefined;
  readonly caData?: string | undefined;
  readonly insecure: boolean;
  readonly tlsServerName?: string | undefined;
  readonly proxyUrl?: string | undefined;
}

/** One user of a kubeconfig. */
export interface KubeconfigUser {
  readonly certFile?: string | undefined;
  readonly certData?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly keyData?: string | undefined;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly impersonate?: string | undefined;
  /** An exec plugin, as it stands. */
  readonly exec?: unknown;
  /** An auth provider, as it stands. */
  readonly authProvider?: unknown;
}

export interface KubeconfigContext {
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Finds a context in a kubeconfig's text; `undefined` is the current one. Own code, because loading client-node for it
 * costs 88 MB and over half a second in which nothing else runs. Messages name fields and contexts, never quote values.
 *
 * @throws TranslatorError `KUBE_CREDENTIALS`
 */
export function findContext(text: string, path: string, context: string | undefined): KubeconfigContext {
  const root = parseRoot(text, path);
  const wanted = context ?? textAt(root, "current-context", path);
  const contexts = named(root, "contexts", "context", path);
  const chosen = wanted === undefined ? undefined : contexts.get(wanted);
  if (chosen === undefined) {
    const names = [...contexts.keys()].map((name) => JSON.stringify(name)).join(", ");
    const missing =
      wanted === undefined ? "has no current context" : `has no context ${JSON.stringify(wanted)}`;
    throw broken(path, `${missing}; it has ${names === "" ? "none" : names}`);
  }
  const where = `context ${JSON.stringify(wanted)}`;
  const cluster = referred(root, "cluster", chosen, path, where);
  if (cluster === undefined) throw broken(path, `${where} names no cluster`);
  const user = referred(root, "user", chosen, path, where);
  return {
    cluster: readCluster(cluster, path),
    user: user === undefined ? {} : readUser(user, path),
  };
}

function parseRoot(text: string, path: string): Fields {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw broken(path, `is not YAML (${error.code} at character ${error.pos[0]})`);
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: 100 });
  } catch {
    throw broken(path, "is not YAML without endless aliases");
  }
  if (isFields(root)) return root;
  throw broken(path, "is not a kubeconfig");
}

/** `clusters`, `users` and `contexts` by name; a name that stands there twice is refused, as kubectl does. */
function named(root: Fields, list: string, field: string, path: string): Map<string, Fields> {
  const entries = root[list] ?? [];
  if (!Array.isArray(entries)) throw broken(path, `${list} is not a list`);
  const found = new Map<string, Fields>();
  for (const [index, entry] of entries.entries()) {
    const { name, [field]: content = {} } = isFields(entry) ? entry : {};
    if (typeof name !== "string" || name === "") throw broken(path, `${list}[${index}].name is missing`);
    if (!isFields(content)) throw broken(path, `${list}[${index}].${field} is not an object`);
    if (found.has(name)) throw broken(path, `${list} has ${JSON.stringify(name)} twice`);
    found.set(name, content);
  }
  return found;
}

function referred(
  root: Fields,
  field: "cluster" | "user",
  context: Fields,
  path: string,
  where: string,
): Fields | undefined {
  const name = textAt(context, field, path);
  if (name === undefined) return undefined;
  const content = named(root, `${field}s`, field, path).get(name);
  if (content !== undefined) return content;
  throw broken(path, `${where} names a ${field} that is not there: ${JSON.stringify(name)}`);
}

function readCluster(cluster: Fields, path: string): KubeconfigCluster {
  const text = (field: string): string | undefined => textAt(cluster, field, path);
  const server = text("server");
  if (server === undefined) throw broken(path, "the cluster has no server");
  return {
    server,
    caFile: text("certificate-authority"),
    caData: base64At(cluster, "certificate-authority-data", path),
    insecure: cluster["insecure-skip-tls-verify"] === true,
    tlsServerName: text("tls-server-name"),
    proxyUrl: text("proxy-url"),
  };
}

function readUser(user: Fields, path: string): KubeconfigUser {
  const text = (field: string): string | undefined => textAt(user, field, path);
  refuseTwoWays(user, path);
  return {
    certFile: text("client-certificate"),
    certData: base64At(user, "client-certificate-data", path),
    keyFile: text("client-key"),
    keyData: base64At(user, "client-key-data", path),
    token: text("token"),
    tokenFile: text("tokenFile"),
    username: text("username"),
    password: text("password"),
    impersonate: text("as"),
    exec: user["exec"] ?? undefined,
    authProvider: user["auth-provider"] ?? undefined,
  };
}

/** Undefined where it is absent or empty, which mean the same in a kubeconfig. */
function textAt(fields: Fields, field: string, path: string): string | undefined {
  const value = fields[field];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value;
  throw broken(path, `${field} is not text`);
}

/** Node would leave out what is no base64, and hand over the rest. */
function base64At(fields: Fields, field: string, path: string): string | undefined {
  const text = textAt(fields, field, path)?.replaceAll(/\s/g, "");
  if (text === undefined || isBase64(text)) return text;
  throw broken(path, `${field} is not base64`);
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;

/** Pairs that client-go refuses too. */
const rivals = [
  [["token"], ["username", "password"]],
  [["exec"], ["auth-provider"]],
] as const;

function refuseTwoWays(user: Fields, path: string): void {
  for (const pair of rivals) {
    const [one, other] = pair.map((fields) => fields.find((field) => user[field]));
    if (one !== undefined && other !== undefined)
      throw broken(path, `the user has two credentials, ${one} and ${other}; allowed: one`);
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function broken(path: string, problem: string): TranslatorError {
  return new TranslatorError("KUBE_CREDENTIALS", `kubeconfig ${path}: ${problem}`);
}
