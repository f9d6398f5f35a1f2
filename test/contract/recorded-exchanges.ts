/** Reads the recorded exchanges and fills up what was cut from them. */
import { readFileSync } from "node:fs";
import { isJsonObject } from "../../src/sim/admin/json-schema.ts";

type KeyKind = "admin" | "viewer" | "wrong" | "none";
/** Which port of APISIX was asked. */
export type Listener = "admin" | "gateway" | "control" | "status";

export interface RecordedExchange {
  readonly file: string;
  readonly name: string;
  readonly listener: Listener;
  readonly request: {
    readonly method: string;
    /** Path and query as sent; `<ADMIN_KEY>` stands for the key. */
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    /** What was sent: parsed JSON, or raw text; `undefined` for no body. */
    readonly body: { readonly json: unknown } | { readonly text: string } | undefined;
    readonly key: KeyKind;
  };
  readonly response: {
    /** 0: no answer within the client's timeout. */
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Parsed where it was JSON, else the text. */
    readonly body: unknown;
  };
}

const directory = new URL("data/apisix-3.18/", import.meta.url);

/** @param file As `01-crud`. */
export function recordedExchanges(file: string): readonly RecordedExchange[] {
  const lines = readFileSync(new URL(`${file}.jsonl`, directory), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => exchangeOf(file, JSON.parse(line)));
}

function member(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) throw new TypeError(`a recorded exchange has no ${name}`);
  return value[name];
}

function texts(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}

function exchangeOf(file: string, line: unknown): RecordedExchange {
  const name = String(member(line, "name"));
  const request = member(line, "request");
  const response = member(line, "response");
  const answer = member(response, "body");
  const key = member(request, "key");
  return {
    file,
    name,
    listener: listenerOf(name, String(member(request, "path"))),
    request: {
      method: String(member(request, "method")),
      path: String(member(request, "path")),
      headers: texts(member(request, "headers")),
      body: bodyOf(member(request, "body"), answer),
      key: key === "none" || key === "wrong" || key === "viewer" ? key : keyByName(name),
    },
    response: {
      status: Number(member(response, "status")),
      headers: texts(member(response, "headers")),
      body: answer,
    },
  };
}

function keyByName(name: string): KeyKind {
  return name.includes("wrong key") ? "wrong" : "admin";
}

/** The recordings do not say which port was asked: the name of one exchange and the paths of the others do. */
function listenerOf(name: string, path: string): Listener {
  if (name.startsWith("data plane port")) return "gateway";
  if (path.startsWith("/v1/")) return "control";
  return path.startsWith("/status") ? "status" : "admin";
}

function bodyOf(body: unknown, answer: unknown): RecordedExchange["request"]["body"] {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return { text: filledUp(body) };
  if (isJsonObject(body) && "__truncated" in body) return { json: rebuilt(body, answer) };
  return { json: body };
}

/** `…xxx…(N bytes)`: the last character goes on, then the string and the object end. */
function filledUp(text: string): string {
  const cut = /^(.*)…\((\d+) bytes\)$/s.exec(text);
  const kept = cut?.[1];
  if (kept === undefined) return text;
  const missing = Number(cut?.[2]) - kept.length - 2;
  return `${kept}${(kept.at(-1) ?? "").repeat(missing)}"}`;
}

/** The whole body stands in the answer, beside what the server added. */
function rebuilt(cut: Readonly<Record<string, unknown>>, answer: unknown): unknown {
  const value = member(answer, "value");
  if (!isJsonObject(value)) throw new TypeError("a cut body without an answer that shows it");
  const { uri, upstream_id, hosts } = value;
  const body = { uri, upstream_id, hosts };
  if (JSON.stringify(body).length !== cut["bytes"]) throw new TypeError("a cut body cannot be rebuilt");
  return body;
}
