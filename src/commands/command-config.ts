import { loadConfig, type Config, type ConfigSources } from "../config.ts";
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
  return loadConfig(configSources(command, args, io, { leads }));
}

/** From where that configuration comes. */
export function configSources(
  command: Command,
  args: Arguments,
  io: Io,
  { leads }: { readonly leads: boolean },
): ConfigSources {
  const otherFlags = [...Object.keys(command.options), "help"];
  return { flags: args.flags, env: io.env, readFile: io.readFile, otherFlags, leads };
}
