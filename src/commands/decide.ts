import { loadConfig } from "../config.ts";
import type { Controller } from "../controller.ts";
import { runErrand } from "../errand.ts";
import { createLog } from "../observe/log.ts";
import { createMetrics } from "../observe/metrics.ts";
import { askInstance, isMapping, serverUrl } from "./ask-instance.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { configSources } from "./command-config.ts";

const defaultAdmin = "http://127.0.0.1:8081";

export const serverOption = {
  value: "URL",
  help: `observe.admin of the instance that leads (${defaultAdmin})`,
};

/** A purge answers within 20 s; reading a large APISIX comes first. */
const patience = 120_000;

type Told = Readonly<Record<string, unknown>>;

/** What an operator wants done about one cluster. */
export interface Wanted {
  readonly path: "/accept" | "/purge";
  readonly cluster: string;
  readonly here: (controller: Controller) => Promise<Told & { readonly ok: boolean }>;
}

/**
 * Has it done by the running leader; where no instance answers, takes the Lease and does it here.
 *
 * @returns what was done; undefined: it was not, and why has been said.
 * @throws TranslatorError `USAGE`, `CONFIG_INVALID`
 */
export async function decide(
  command: Command,
  wanted: Wanted,
  args: Arguments,
  io: Io,
): Promise<Told | undefined> {
  const server = serverUrl(args.options.get("server") ?? defaultAdmin, defaultAdmin);
  const { path, cluster } = wanted;
  const answer = await askInstance(server, { method: "POST", path, query: { cluster }, patience }, io);
  if (answer.fault === undefined) return answered(server, answer, io);
  const none = `no instance answers at ${server.origin} (${answer.fault})`;
  if (args.flags.length === 0 && io.env["TRANSLATOR_CONFIG"] === undefined)
    return say(io, `${none}; with --config it is done without one, under the Lease`);
  const config = loadConfig(configSources(command, args, io, { leads: true }));
  if (!config.leader.enabled)
    return say(
      io,
      `${none}, and without leader.enabled nobody can tell whether one runs: start one, and ask it`,
    );
  io.stderr.write(`${none}: taking the Lease\n`);
  const log = createLog({ level: "warn", format: config.observe.logFormat, stream: io.stderr });
  const options = { env: io.env, log, metrics: createMetrics({ withProcess: false }), signal: io.signal };
  try {
    const told = await runErrand(config, { ...options, fault: () => {} }, wanted.here);
    return told.ok ? told : say(io, String(told["error"]));
  } catch (error) {
    return say(io, error instanceof Error ? error.message : String(error));
  }
}

function answered(
  server: URL,
  { status, body }: { status: number; body: unknown },
  io: Io,
): Told | undefined {
  if (status === 200 && isMapping(body)) return body;
  const error = isMapping(body) ? body["error"] : undefined;
  const leader = isMapping(body) ? body["leader"] : undefined;
  const where = typeof leader === "string" ? `; it is at ${leader}, and its observe.admin on that host` : "";
  if (typeof error === "string") return say(io, `${error}${where}`);
  return say(io, `${server.origin} answered ${status}, and not as an instance of the translator does`);
}

function say(io: Io, message: string): undefined {
  io.stderr.write(`${message}\n`);
}
