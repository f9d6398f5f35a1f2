import type { FieldName } from "../declare/read-declaration.ts";
import { fieldNames } from "../declare/read-declaration.ts";
import { scanJson } from "../declare/scan-json.ts";
import { maxNesting } from "../declare/read-annotation.ts";
import type { Arguments, Command } from "./command.ts";

/** How the words behind a flag become the value of its field. */
type Reading = "text" | "textOrMore" | "number" | "numberOrText" | "flag" | "list" | "json" | "jsonOrText";

interface FieldFlag {
  readonly value?: string;
  readonly help: string;
  readonly reading: Reading;
}

/** One flag for each field of a declaration. */
const fieldFlags: Readonly<Record<FieldName, FieldFlag>> = {
  name: { value: "NAME", reading: "text", help: "name of the route; an entry of this name is replaced" },
  port: { value: "PORT", reading: "numberOrText", help: "number, or name of a container or Service port" },
  host: { value: "HOST", reading: "textOrMore", help: "host; given several times: hosts" },
  hosts: { value: "HOST,…", reading: "list", help: "hosts; with commas, or given several times" },
  uri: { value: "URI", reading: "textOrMore", help: "path, with * at its end a prefix; several times: uris" },
  uris: { value: "URI,…", reading: "list", help: "uris; with commas, or given several times" },
  methods: { value: "METHOD,…", reading: "list", help: "with commas, or given several times" },
  priority: { value: "N", reading: "number", help: "APISIX's priority of the route" },
  websocket: { reading: "flag", help: "take WebSocket connections" },
  rewrite: { value: "JSON", reading: "json", help: '{"stripPrefix": "/api"} or {"uri": "/new"}' },
  plugins: { value: "JSON", reading: "json", help: "APISIX plugins by name" },
  scheme: { value: "SCHEME", reading: "text", help: "http, https, grpc or grpcs" },
  timeout: { value: "JSON", reading: "json", help: '{"connect": 5, "send": 5, "read": 60}, seconds' },
  retries: { value: "N", reading: "number", help: "0 to 10" },
  passHost: { value: "HOST", reading: "text", help: "pass, node, or a host name" },
  loadBalancer: {
    value: "WORD|JSON",
    reading: "jsonOrText",
    help: 'roundrobin, least_conn, ewma, or {"chash": {"hashOn": "header", "key": "x-user"}}',
  },
  healthCheck: { value: "JSON", reading: "json", help: '{"path": "/healthz", "interval": 2}' },
  share: { value: "SHARE", reading: "text", help: "none, cluster or fleet" },
  via: { value: "VIA", reading: "text", help: "endpoint or nodePort (Services only)" },
  publishNotReady: { reading: "flag", help: "keep unready Pods as nodes" },
  protocol: { value: "PROTOCOL", reading: "text", help: "http" },
};

/** The flags as options of a command. */
export const fieldOptions: Command["options"] = Object.fromEntries(
  Object.entries(fieldFlags).map(([name, { value, help }]) => [
    name,
    value === undefined ? { help } : { value, help },
  ]),
);

export type FlagsEntry =
  | { readonly ok: true; readonly entry: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reasons: readonly string[] };

/** The entry that the flags spell, not judged yet; or what in them cannot be read, one line each. */
export function entryFromFlags({ all }: Arguments): FlagsEntry {
  const entry: Record<string, unknown> = {};
  const reasons: string[] = [];
  for (const field of fieldNames) {
    const words = all.get(field);
    if (words === undefined) continue;
    const { reading } = fieldFlags[field];
    const last = words.at(-1) ?? "";
    const read = (word: string): unknown => {
      const value = readJson(word);
      if (!value.ok) reasons.push(`--${field}: ${value.reason}`);
      return value.ok ? value.value : undefined;
    };
    if (reading === "list")
      entry[field] = words.flatMap((word) => (word.startsWith("[") ? read(word) : split(word)));
    else if (reading === "textOrMore" && words.length > 1)
      entry[`${field}s`] = [...words, ...(all.get(`${field}s`) ?? []).flatMap(split)];
    else if (words.length > 1) reasons.push(`--${field} is given ${words.length} times; allowed: once`);
    else entry[field] = readWord(reading, last, read);
  }
  return reasons.length > 0 ? { ok: false, reasons } : { ok: true, entry };
}

function readWord(reading: Reading, word: string, json: (word: string) => unknown): unknown {
  if (reading === "flag") return word === "true";
  if (reading === "json") return json(word);
  if (reading === "jsonOrText") return word.startsWith("{") ? json(word) : word;
  // What is no number stays text, for the one judge of all declarations to refuse or take as a name.
  if (reading === "number") return /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : word;
  if (reading === "numberOrText") return /^\d+$/.test(word) ? Number(word) : word;
  return word;
}

const split = (word: string): readonly string[] => word.split(",").map((part) => part.trim());

function readJson(
  word: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string } {
  try {
    const value: unknown = JSON.parse(word);
    const fault = scanJson(word, maxNesting);
    if (fault === undefined) return { ok: true, value };
    if (fault.fault === "nesting")
      return { ok: false, reason: `it is nested over ${maxNesting} levels deep` };
    return { ok: false, reason: `the key ${JSON.stringify(fault.key)} stands twice` };
  } catch (error) {
    return { ok: false, reason: `it is not JSON (${error instanceof Error ? error.message : "unknown"})` };
  }
}
