import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import { Child } from "../processes/child.ts";
import type { IngestCommands } from "../processes/decode-process.ts";
import { median } from "../statistics.ts";
import { benchKinds, type BenchKind, type Change } from "./events.ts";
import { pathNames, type PathName } from "./paths.ts";

const full = { rounds: 9, objects: { endpointslices: 100, pods: 400, nodes: 200 }, seconds: 0.4 };
const small = { rounds: 3, objects: { endpointslices: 50, pods: 200, nodes: 100 }, seconds: 0.15 };

/** About what client-node needs for one, so that each measurement takes as long; microseconds. */
const guess: Readonly<Record<BenchKind, number>> = { endpointslices: 300, pods: 60, nodes: 60 };
/** The quicker ones are given more events: a measurement should not be shorter than the clock is coarse. */
const times: Readonly<Record<PathName, number>> = { "client-node": 1, json: 1, protobuf: 3, ours: 12 };

const says: Readonly<Record<PathName, string>> = {
  "client-node": "client-node's informer, and a compare of fields",
  json: "JSON, projected and compared",
  protobuf: "protobuf, projected and compared",
  ours: "ours: protobuf, fingerprint first",
};

const changes: readonly Change[] = ["noise", "real"];

type Figures = Map<string, number[]>;

/** CPU of decoding and filtering one watch event. */
export const ingest: Bench = {
  name: "ingest",
  title: "CPU of one watch event, decoded and filtered, by four ways",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { rounds, objects, seconds } = quick ? small : full;
    const children = new Map(pathNames.map((name) => [name, start()]));
    try {
      const sizes = await load(children, objects);
      const figures: Figures = new Map();
      // The first round warms up.
      for (let round = 0; round <= rounds; round++) {
        const order = round % 2 === 0 ? pathNames : pathNames.toReversed();
        for (const kind of benchKinds) {
          for (const change of changes) {
            for (const name of order)
              await measure({ children, figures, name, kind, change, seconds, warm: round === 0 });
          }
        }
        say(round === 0 ? "warm" : `round ${round} of ${rounds}`);
      }
      return outcome(figures, sizes);
    } finally {
      await Promise.all([...children.values()].map((child) => child.stop()));
    }
  },
};

const start = (): Child<IngestCommands> =>
  new Child(new URL("../processes/decode-process.ts", import.meta.url));

async function load(
  children: ReadonlyMap<PathName, Child<IngestCommands>>,
  objects: Readonly<Record<BenchKind, number>>,
): Promise<string[]> {
  const sizes: string[] = [];
  for (const kind of benchKinds) {
    const each = new Map<PathName, number>();
    for (const [name, child] of children) each.set(name, await child.ask("load", name, kind, objects[kind]));
    sizes.push(`${kind}: ${each.get("json")} bytes of JSON, ${each.get("ours")} of protobuf`);
  }
  return sizes;
}

async function measure(what: {
  readonly children: ReadonlyMap<PathName, Child<IngestCommands>>;
  readonly figures: Figures;
  readonly name: PathName;
  readonly kind: BenchKind;
  readonly change: Change;
  readonly seconds: number;
  readonly warm: boolean;
}): Promise<void> {
  const { children, figures, name, kind, change, seconds, warm } = what;
  const child = children.get(name);
  if (child === undefined) return;
  const atLeast = Math.ceil(((seconds * 1e6) / guess[kind]) * (change === "noise" ? times[name] : 1));
  const { events, kept, cpu } = await child.ask("measure", kind, change, atLeast);
  const wanted = change === "noise" ? 0 : events;
  if (kept !== wanted) throw new Error(`${name} let ${kept} of ${events} ${kind} through, not ${wanted}`);
  if (warm) return;
  const key = keyOf(name, kind, change);
  figures.set(key, [...(figures.get(key) ?? []), (cpu * 1000) / events]);
}

const keyOf = (name: PathName, kind: BenchKind, change: Change): string => `${name} ${kind} ${change}`;

function outcome(figures: Figures, sizes: readonly string[]): Outcome {
  const of = (name: PathName, kind: BenchKind, change: Change): readonly number[] =>
    figures.get(keyOf(name, kind, change)) ?? [];
  const ratio = (kind: BenchKind, change: Change, to: PathName): number =>
    median(of("ours", kind, change)) / median(of(to, kind, change));
  const rows = (kind: BenchKind, change: Change): Row[] =>
    pathNames.map((name) => ({ name: says[name], unit: "µs", values: of(name, kind, change) }));
  return {
    ratios: {
      sliceNoise: ratio("endpointslices", "noise", "client-node"),
      podNoise: ratio("pods", "noise", "client-node"),
      nodeNoise: ratio("nodes", "noise", "client-node"),
      sliceReal: ratio("endpointslices", "real", "client-node"),
      podReal: ratio("pods", "real", "client-node"),
      sliceNoiseToProtobuf: ratio("endpointslices", "noise", "protobuf"),
    },
    tables: benchKinds.flatMap((kind) =>
      changes.map((change) => ({ title: `${kind}, ${meaning[change]}`, rows: rows(kind, change) })),
    ),
    notes: [
      "Each way in a process of its own, asked in turn, the order reversed each round; CPU of the whole process, collection of garbage too. Nothing is written to a socket: bytes come as TLS hands them over, in pieces of 16 KB.",
      `Objects as a real API server sent them, told apart by name and uid. ${sizes.join("; ")}. A slice has 100 endpoints.`,
      "client-node: its ListWatch with lines cut and parsed as its Watch does; the user's handler compares the consumed fields with those of the object before.",
      "Every way lets the same events through, or the bench ends with an error.",
    ],
  };
}

const meaning: Readonly<Record<Change, string>> = {
  noise: "noise: nothing consumed differs",
  real: "one consumed field differs",
};
