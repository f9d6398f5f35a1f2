import type { Declaration, SourceKind } from "../../../src/declare/declaration.ts";
import { parseRoutes, validateRoutes } from "../../../src/declare/parse.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";
import { anyAnnotation } from "./annotation-texts.ts";

/** The routes annotation: any text that a user may write. */
export const annotation = makeTarget(
  "annotation",
  30,
  anyAnnotation,
  ({ text, kind, isUnreadable }): Verdict => {
    const read = parseRoutes(text, kind);
    if (!read.readable)
      return { passed: false, wrong: read.problem.message === "" ? "no reason" : undefined };
    return {
      passed: true,
      wrong: isUnreadable ? "what cannot be read was read" : wrongWith(text, read.entries, kind),
    };
  },
);

type Entries = Extract<ReturnType<typeof parseRoutes>, { readable: true }>["entries"];

function wrongWith(text: string, entries: Entries, kind: SourceKind): string | undefined {
  if (Buffer.byteLength(text) > 64 * 1024 || text.startsWith("\ufeff")) return "what cannot be one was read";
  const written = JSON.parse(text) as unknown;
  const again = validateRoutes(written, kind);
  const isValid = entries.every(({ ok }) => ok);
  if (again.ok !== isValid) return `the SDK says ${again.ok}, the translator ${isValid}`;
  const all = Array.isArray(written) ? (written as unknown[]) : [written];
  if (all.length !== entries.length || all.length > 100)
    return `${all.length} entries, ${entries.length} read`;
  const names = new Set<string>();
  for (const [index, each] of entries.entries()) {
    if (!each.ok) {
      if (each.problems.length === 0) return "Invalid without a problem";
      for (const { message } of each.problems)
        if (Buffer.byteLength(message) > 1024) return "a message longer than an Event's note";
      continue;
    }
    const { declaration } = each;
    if (names.has(declaration.name)) return `the name ${declaration.name} was accepted twice`;
    names.add(declaration.name);
    const wrong = wrongField(declaration, all[index] as Record<string, unknown>, kind);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

const isLabel = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

function isHost(host: string): boolean {
  if (host.startsWith("[")) return /^\[[0-9a-f:]+\]$/.test(host);
  return host.length <= 253 && host.replace(/^\*\./, "").split(".").every(isLabel);
}

const isUri = (uri: string): boolean =>
  uri.startsWith("/") &&
  uri.length <= 4097 &&
  uri.isWellFormed() &&
  !/[\s\p{Cc}?#%]|\/\/|\/\.\.?(\/|$)|\*./u.test(uri);

/** PRODUCT.md's grammar, once more: what may stand in a field that was accepted. The first that is wrong. */
function wrongField(
  read: Declaration,
  written: Readonly<Record<string, unknown>>,
  kind: SourceKind,
): string | undefined {
  const { hosts = [], uris = [], methods = [], port, timeout, loadBalancer, passHost, rewrite } = read;
  const isPort = typeof port === "number" ? port > 0 && port <= 65_535 : /^[a-z0-9-]{1,63}$/.test(port);
  const isKey =
    typeof loadBalancer === "string" ||
    (loadBalancer.chash.key !== "" && loadBalancer.chash.key.length <= 256);
  const path = rewrite === undefined ? "/" : "uri" in rewrite ? rewrite.uri : rewrite.stripPrefix;
  const checks: Readonly<Record<string, boolean>> = {
    name: isLabel(read.name) && read.name === written["name"],
    port: isPort && port === written["port"],
    hosts: hosts.every(isHost) && isSorted(hosts) && (read.hosts === undefined || hosts.length > 0),
    uris: uris.every(isUri) && isSorted(uris) && isSame([...new Set(listOf(written, "uri"))], uris),
    pairs: hosts.length * uris.length <= 1000,
    methods: methods.every((method) => /^[A-Z]+$/.test(method)) && isSame(listOf(written, "method"), methods),
    priority: Number.isSafeInteger(read.priority) && read.priority === Number(written["priority"] ?? 0),
    retries: Number.isInteger(read.retries) && read.retries >= 0 && read.retries <= 10,
    timeout: timeout === undefined || Object.values(timeout).every((time) => time > 0 && time <= 3600),
    via: read.via === "endpoint" || kind === "service",
    share: kind === "pod" || read.share !== "cluster",
    passHost: passHost.mode !== "rewrite" || (isHost(passHost.host) && !passHost.host.startsWith("*")),
    loadBalancer: isKey,
    rewrite:
      path.startsWith("/") &&
      !path.includes("*") &&
      (rewrite === undefined || "uri" in rewrite || !/.\/$|^\/$/.test(path)),
    plugins: isPlain(read.plugins) && (rewrite === undefined || read.plugins["proxy-rewrite"] === undefined),
    protocol: written["protocol"] === undefined || written["protocol"] === "http",
    health: (read.healthCheck?.path ?? "/").startsWith("/") && (read.healthCheck?.interval ?? 1) >= 1,
    unknown: Object.keys(written).every((key) => known.has(key)),
  };
  const [wrong] = Object.entries(checks).find(([, isRight]) => !isRight) ?? [];
  return wrong === undefined ? undefined : `${wrong} was accepted: ${JSON.stringify(read)}`;
}

const known = new Set([
  ...[
    "name",
    "port",
    "host",
    "hosts",
    "uri",
    "uris",
    "methods",
    "priority",
    "websocket",
    "rewrite",
    "plugins",
  ],
  ...["scheme", "timeout", "retries", "passHost", "loadBalancer", "healthCheck", "share", "via"],
  ...["publishNotReady", "protocol"],
]);

/** `host` and `hosts`, as one list. */
function listOf(written: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const all = written[`${name}s`];
  return [...(written[name] === undefined ? [] : [written[name]]), ...(Array.isArray(all) ? all : [])];
}

const isSame = (written: readonly unknown[], read: readonly string[]): boolean =>
  JSON.stringify([...(written as string[])].toSorted(bytewise)) === JSON.stringify(read);

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const isSorted = (texts: readonly string[]): boolean =>
  texts.every((text, index) => index === 0 || bytewise(texts[index - 1] ?? "", text) < 0);

/** Nothing in it would be changed by JSON. */
function isPlain(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key !== "__proto__" && isPlain(inner));
}
