import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import { Child } from "../processes/child.ts";
import type { InformerCommands, Listed } from "../processes/informer-process.ts";
import type { LoadCommands, LoadedCluster } from "../processes/load-process.ts";
import { median } from "../statistics.ts";
import type { Client, Reading } from "./client.ts";
import { listPods, listTable, longestBlock } from "./list-pods.ts";
import { buildGoInformer, GoInformer } from "./go-informer.ts";

const full = { rounds: 7, slices: 200, seconds: 6, warm: 10, pods: 100_000, lists: 3 };
const small = { rounds: 2, slices: 100, seconds: 3, warm: 4, pods: 20_000, lists: 1 };
const endpoints = 100;
/** The slowest of them is still far from busy. */
const perSecond = 1000;
const token = "load-token";

/** One way to watch, and a cluster of its own that nobody else watches. */
interface Contender {
  readonly name: Name;
  readonly client: Client;
  readonly load: Child<LoadCommands>;
  readonly cpu: number[];
  readonly rss: number[];
}

const names = ["client-node", "go", "ours"] as const;
type Name = (typeof names)[number];

const says: Readonly<Record<Name, string>> = {
  "client-node": "client-node's informer",
  go: "client-go's informer, protobuf",
  ours: "ours: watch and filter",
};

/** CPU of a whole process that takes in noise over TLS. */
export const ingestProcess: Bench = {
  name: "ingest-process",
  title: "CPU of a whole process for one noise slice of 100 endpoints, over TLS",

  async run({ quick, say }: BenchOptions): Promise<Outcome> {
    const { rounds, slices, seconds, warm, pods, lists } = quick ? small : full;
    const contenders = await contendersOf(slices, say);
    try {
      for (const contender of contenders) await measure(contender, warm);
      const limit = await contenders[0]?.load.ask("flood", 1);
      for (let round = 1; round <= rounds; round++) {
        const order = round % 2 === 0 ? contenders : contenders.toReversed();
        for (const contender of order) {
          const { cpu, rss } = await measure(contender, seconds);
          contender.cpu.push(cpu);
          contender.rss.push(rss / 1e6);
        }
        say(`round ${round} of ${rounds}`);
      }
      const listed = await listPods(pods, lists, say);
      return outcome(contenders, limit === undefined ? NaN : limit.events / limit.seconds, listed);
    } finally {
      await Promise.all(contenders.flatMap(({ client, load }) => [client.stop(), load.stop()]));
    }
  },
};

async function contendersOf(slices: number, say: (line: string) => void): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const name of names) {
    const client = clientOf(name, say);
    if (client === undefined) continue;
    const load = new Child<LoadCommands>(new URL("../processes/load-process.ts", import.meta.url));
    const size = {
      servicesPerCluster: slices,
      endpointsPerService: endpoints,
      podsPerCluster: 0,
      nodesPerCluster: 0,
    };
    const [cluster] = await load.ask("start", { clusters: 1, ...size });
    if (cluster === undefined) throw new Error("no cluster has started");
    await client.start({ ...cluster, token });
    while (!(await client.read()).synced) await sleep(20);
    contenders.push({ name, client, load, cpu: [], rss: [] });
  }
  return contenders;
}

function clientOf(name: Name, say: (line: string) => void): Client | undefined {
  if (name !== "go") return new NodeClient(name);
  try {
    return new GoInformer(buildGoInformer());
  } catch (error) {
    say(`client-go is left out: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    return undefined;
  }
}

class NodeClient implements Client {
  readonly #name: "client-node" | "ours";
  readonly #child = new Child<InformerCommands>(new URL("../processes/informer-process.ts", import.meta.url));

  constructor(name: "client-node" | "ours") {
    this.#name = name;
  }

  start = ({ kubeconfig }: LoadedCluster): Promise<void> => this.#child.ask("start", this.#name, kubeconfig);
  read = (): Promise<Reading> => this.#child.ask("read");
  stop = (): Promise<void> => this.#child.stop();
}

/** Microseconds of CPU an event, and what the process holds. */
async function measure(
  { name, client, load }: Contender,
  seconds: number,
): Promise<{ cpu: number; rss: number }> {
  const before = await client.read();
  await load.ask("churn", { noise: perSecond, changes: 0, seconds });
  let after = await client.read();
  // What was written last is still on its way.
  for (let seen = -1; after.events !== seen; after = await client.read()) {
    seen = after.events;
    await sleep(100);
  }
  const events = after.events - before.events;
  if (events < perSecond * seconds * 0.5) throw new Error(`${name} saw only ${events} events`);
  if (after.kept !== before.kept) throw new Error(`${name} let noise through`);
  return { cpu: ((after.cpu - before.cpu) * 1000) / events, rss: after.rss };
}

function outcome(contenders: readonly Contender[], limit: number, listed: readonly Listed[]): Outcome {
  const of = (name: Name): Contender | undefined => contenders.find((contender) => contender.name === name);
  const ratio = (to: Name): number => median(of("ours")?.cpu ?? []) / median(of(to)?.cpu ?? []);
  const rows = (what: "cpu" | "rss", unit: string): Row[] =>
    contenders.map((contender) => ({ name: says[contender.name], unit, values: contender[what] }));
  return {
    ratios: {
      toClientNode: ratio("client-node"),
      ...(of("go") === undefined ? {} : { toClientGo: ratio("go") }),
      listBlockMs: longestBlock(listed),
    },
    tables: [
      { title: `CPU of the process for each event, ${perSecond} a second`, rows: rows("cpu", "µs") },
      { title: "Memory (Go: the most it ever was)", rows: rows("rss", "MB") },
      listTable(listed),
      {
        title: "The generator's own limit",
        rows: [{ name: "noise, one watch", unit: "/s", values: [limit] }],
      },
    ],
    notes: [
      "A process and an API server for each, over TLS on loopback; they are sent noise in turn, the order reversed each round. CPU is that of the whole process, collection of garbage too, divided by the events that its handler saw.",
      "client-node and client-go: their informers with a handler that compares the consumed fields. Ours: everything from the socket to the shards, which noise never reaches. Noise: only resourceVersion and a time in managedFields move.",
      "client-go reads protobuf; it is built from Go modules into the user's cache, and left out where that fails.",
    ],
  };
}
