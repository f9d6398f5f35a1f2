import { configFile, loadConfig, type Config, type ConfigSources } from "../config.ts";
import { TranslatorError } from "../errors.ts";
import type { Clock, Log } from "../runtime.ts";
import { WatchedFiles, type FileReading } from "./watched-files.ts";

export interface WatchedConfigParts {
  /** From which `config` was loaded. */
  readonly sources: ConfigSources;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** `clusters` or `policy` are others now; everything else is as it was at the start. */
  readonly changed: (config: Config) => void;
}

/** What changes without a restart. */
const living = ["clusters", "policy"] as const;

/**
 * The configuration file while it is in use: `clusters` and `policy` change with it. A file that is bad as a whole changes
 * nothing, and all its problems are said; what else has changed is said to need a restart.
 */
export class WatchedConfig {
  readonly #parts: WatchedConfigParts;
  readonly #files: WatchedFiles<Config>;
  readonly #path: string | undefined;
  #inUse: Config;

  constructor(parts: WatchedConfigParts) {
    const { sources, config, clock, log } = parts;
    this.#parts = parts;
    this.#inUse = config;
    const path = configFile(sources);
    this.#path = path;
    const { adminKeyFile, tls } = config.gateway;
    const named = [path, adminKeyFile, ...Object.entries(tls ?? {}).map(fileOf)];
    this.#files = new WatchedFiles<Config>({
      ...{ what: "the configuration", clock, log },
      // A file that the configuration names may be what is wrong with it.
      paths: named.filter((each) => each !== undefined),
      read: () => this.#read(),
      first: { value: config, text: JSON.stringify(config) },
      changed: (next) => this.#take(next),
    });
  }

  start(): void {
    if (this.#path !== undefined) this.#files.start();
  }

  stop(): void {
    this.#files.stop();
  }

  /** Looks at once. Never rejects. */
  look(): Promise<void> {
    return this.#files.look();
  }

  #read(): FileReading<Config> {
    try {
      const value = loadConfig(this.#parts.sources);
      return { ok: true, value, text: JSON.stringify(value) };
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      return { ok: false, reason: error.message, problems: error.problems };
    }
  }

  #take(next: Config): void {
    const { log, changed } = this.#parts;
    const restart = changedKeys(withoutLiving(this.#inUse), withoutLiving(next));
    const advice = "restart the translator for these keys; clusters and policy are taken without";
    if (restart.length > 0) log.warn({ keys: restart, advice }, "changed keys need a restart");
    const keys = living.filter((key) => JSON.stringify(this.#inUse[key]) !== JSON.stringify(next[key]));
    if (keys.length === 0) return;
    const { clusters, policy } = next;
    this.#inUse = Object.freeze({ ...this.#inUse, clusters, policy });
    log.info({ keys }, "the configuration has changed");
    changed(this.#inUse);
  }
}

function fileOf([key, value]: readonly [string, string | undefined]): string | undefined {
  return key.endsWith("File") ? value : undefined;
}

/** All but what changes by itself, or by files of its own. */
function withoutLiving(config: Config): object {
  const { clusters: _clusters, policy: _policy, gateway, ...rest } = config;
  const { adminKey: _key, tlsMaterial: _tls, ...about } = gateway;
  return { ...rest, gateway: about };
}

/** The paths of scalars and lists that differ. */
function changedKeys(one: unknown, other: unknown, path = ""): string[] {
  if (!isSection(one) || !isSection(other))
    return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => changedKeys(one[key], other[key], path === "" ? key : `${path}.${key}`));
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
