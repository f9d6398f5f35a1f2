import { loadConfig, type Config, type ConfigSources } from "../../src/config.ts";
import { TranslatorError } from "../../src/errors.ts";

export interface Given {
  /** The configuration file; absent: none is named. */
  readonly yaml?: string;
  readonly flags?: Readonly<Record<string, string | undefined>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Other files that there are. */
  readonly files?: Readonly<Record<string, string>>;
  readonly otherFlags?: readonly string[];
  readonly leads?: boolean;
}

/** The smallest file that is good for `run`. */
export const minimal = `
clusters: [{name: home, inCluster: true}]
gateway: {adminUrls: ["http://apisix-admin:9180"]}
leader: {enabled: false}
`;

/** `minimal` with other lines in place of its own of the same key. */
export function minimalBut(lines: string): string {
  const replaced = new Set(lines.split("\n").map((line) => line.split(":")[0]));
  const kept = minimal.split("\n").filter((line) => !replaced.has(line.split(":")[0]));
  return [...kept, lines].join("\n");
}

export function load({ yaml, flags = {}, env = {}, files = {}, ...rest }: Given): Config {
  const named = Object.entries(flags).map(([name, value]) => ({ name, value }));
  return loadConfig({
    flags: yaml === undefined ? named : [{ name: "config", value: "config.yaml" }, ...named],
    env:
      "APISIX_ADMIN_KEY" in env || "gateway.adminKeyFile" in flags ? env : { APISIX_ADMIN_KEY: "k1", ...env },
    readFile(path) {
      const content = path === "config.yaml" ? yaml : files[path];
      if (content === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
      return content;
    },
    ...rest,
  });
}

/** The problem lines; none where the configuration is good. */
export const problemsOf = (given: Given): readonly string[] => problemsIn(() => load(given));

export const problemsOfSources = (sources: ConfigSources): readonly string[] =>
  problemsIn(() => loadConfig(sources));

function problemsIn(act: () => void): readonly string[] {
  try {
    act();
  } catch (error) {
    if (error instanceof TranslatorError && error.code === "CONFIG_INVALID") return error.problems;
    throw error;
  }
  return [];
}
