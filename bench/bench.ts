/** One line of a table: what was measured, its median over the rounds, and every round's value. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
}

/** What a bench hands to the frame, which judges it by its targets and writes it down. */
export interface Outcome {
  /** The figures that have targets, and others worth comparing between runs. */
  readonly ratios: Readonly<Record<string, number>>;
  readonly tables: readonly { readonly title: string; readonly rows: readonly Row[] }[];
  /** Method and caveats: sentences, each a list item. */
  readonly notes: readonly string[];
}

/** As given on the command line; what is written there is taken away again. */
export interface LiveGateway {
  readonly adminUrl: string;
  readonly proxyUrl: string;
  readonly key: string;
}

export interface BenchOptions {
  /** Under a minute: fewer objects and rounds. */
  readonly quick: boolean;
  /** A real APISIX, for the benches that can use one. */
  readonly live?: LiveGateway;
  /** Progress, for people. */
  readonly say: (line: string) => void;
}

export interface Bench {
  readonly name: string;
  readonly title: string;
  /** It has more to say where there is a real APISIX. */
  readonly usesLive?: boolean;
  run(options: BenchOptions): Promise<Outcome>;
}
