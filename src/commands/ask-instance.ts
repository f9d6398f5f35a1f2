import type { Io } from "./command.ts";
import { usage } from "./arguments.ts";

const mostBytes = 64 * 2 ** 20;

/** What an instance answered. */
export interface InstanceAnswer {
  /** 0: none came. */
  readonly status: number;
  readonly body: unknown;
  /** Why none came. */
  readonly fault?: string;
}

export interface InstanceQuestion {
  readonly method: "GET" | "POST";
  /** Below the server's own path, as `/explain`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Milliseconds; what is silent for so long is no instance. */
  readonly patience: number;
}

/** Asks a running instance over HTTP; redirects are not followed. */
export async function askInstance(
  server: URL,
  { method, path, query, patience }: InstanceQuestion,
  io: Io,
): Promise<InstanceAnswer> {
  const url = new URL(`${server.pathname.replace(/\/$/, "")}${path}`, server);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(patience)]);
  try {
    const response = await io.fetch(url, {
      ...{ method, redirect: "manual", signal },
      headers: { accept: "application/json" },
    });
    return { status: response.status, body: parsed(await textOf(response)) };
  } catch (error) {
    return { status: 0, body: undefined, fault: reason(error, patience) };
  }
}

/** The value of `--server`. What was given may hold a password: it is not repeated. @throws TranslatorError `USAGE` */
export function serverUrl(text: string, example: string): URL {
  const url = URL.parse(text);
  const good = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!good) throw usage(`--server: allowed: an http or https URL without credentials, as ${example}`);
  return url;
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of response.body ?? []) {
    total += piece.length;
    if (total > mostBytes) throw new RangeError(`the answer is over ${mostBytes / 2 ** 20} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever looks at it finds no mapping, and says so with the status.
    return undefined;
  }
}

function reason(error: unknown, patience: number): string {
  if (!(error instanceof Error)) return "unknown fault";
  if (error.name === "TimeoutError") return `no answer within ${patience / 1000} s`;
  const { cause } = error;
  return cause instanceof Error && cause.message !== "" ? cause.message : error.message;
}
