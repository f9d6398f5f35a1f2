import { loadConfig, type Config } from "../config.ts";
import type { Arguments, Command, Io } from "./command.ts";

/**
 * The configuration that a command was started with. `leads: false` is for a command that never writes.
 *
 * @throws TranslatorError `CONFIG_INVALID`
 */
export function commandConfig(
  command: Command,
  args: Arguments,
  io: Io,
  { leads }: { readonly leads: boolean },
): Config {
  const otherFlags = [...Object.keys(command.options), "help"];
  return loadConfig({ flags: args.flags, env: io.env, readFile: io.readFile, otherFlags, leads });
}
