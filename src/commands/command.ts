import type { Environment, Flag } from "../config/overrides.ts";
import type { ReadFile } from "../config/file.ts";

/** A stream that a command writes to: data to standard output, talk to standard error. */
export interface Sink {
  /** `written` hears, later, whether it was. */
  write(text: string, written?: (error?: Error | null) => void): void;
  readonly isTerminal: boolean;
  /** Whether colour is wanted: a terminal, and nobody has set `NO_COLOR`. */
  readonly colour: boolean;
}

/** Everything of the process that a command may use. */
export interface Io {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly fetch: typeof fetch;
  /** Asks whoever sits at the terminal, and gives the line that was typed; undefined: there is no terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Aborted by the first SIGTERM, SIGINT or SIGHUP. */
  readonly signal: AbortSignal;
}

interface Option {
  /** What its value is called in the help; absent: the option is boolean and takes none. */
  readonly value?: string;
  readonly help: string;
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** Of the command's own options, those that were given; a boolean one is `"true"` or `"false"`. */
  readonly options: ReadonlyMap<string, string>;
  /** Every value of each of these, in the order given: of an option given twice `options` has the last. */
  readonly all: ReadonlyMap<string, readonly string[]>;
  /** For a command with `takesConfig`: all other flags, for `loadConfig` to judge. */
  readonly flags: readonly Flag[];
}

export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** What follows the command's name, as `TARGET [--output json|text]`. */
  readonly usage: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Whether `--config` and every configuration key are flags of this command. */
  readonly takesConfig: boolean;
  /** False: its help says in one line that configuration keys are flags too, and does not list them. */
  readonly listsConfig?: false;
  /** Sections of the configuration that it uses, where it does not use all: its help lists no others. */
  readonly configSections?: readonly string[];
  /** Exit code of an unforeseen fault, 1 unless told: `plan` answers 1 where there are changes. */
  readonly faultCode?: number;
  /**
   * @returns the exit code
   * @throws TranslatorError `USAGE` and `CONFIG_INVALID`, which end in exit 2; whatever else is thrown, in `faultCode`.
   */
  run(args: Arguments, io: Io): Promise<number>;
}
