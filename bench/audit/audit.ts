import type { Bench, BenchOptions, Outcome, Row } from "../bench.ts";
import type { Translator } from "../first/translator.ts";
import { openLoadScene, type LoadScene } from "../load/load-scene.ts";
import { longestSince } from "../processes/loop-watch.ts";
import { sharedNow } from "../processes/protocol.ts";
import { askAudit } from "./ask-audit.ts";
import { live } from "./live.ts";

const liveRoutes = { full: 10_000, quick: 1000 };
const full = { clusters: 10, routes: 100_000, strangers: 10_000, edited: 10_000, rounds: 5 };
const small = { clusters: 5, routes: 10_000, strangers: 1000, edited: 1000, rounds: 3 };

interface Look {
  readonly seconds: number;
  readonly cpu: number;
  readonly block: number;
  readonly own: number;
}

/** What an audit of everything that stands costs, and for how long nothing else had its turn. */
export const audit: Bench = {
  name: "audit",
  title: "audits of 100,000 routes with their upstreams",
  usesLive: true,

  async run({ quick, live: gateway, say }: BenchOptions): Promise<Outcome> {
    const { clusters, routes, strangers, edited, rounds } = quick ? small : full;
    await using scene = await openLoadScene({
      ...{ clusters, servicesPerCluster: routes / clusters, endpointsPerService: 1 },
      ...{ podsPerCluster: 0, nodesPerCluster: 0 },
    });
    const translator = scene.setup.start(scene.gateway);
    await translator.converged;
    say(`${routes} routes stand`);
    const { sink } = scene;
    const change: Readonly<Record<string, (round: number) => Promise<void>>> = {
      "nothing has changed": async () => {},
      [`${strangers} foreign routes have come, or gone`]: (round) =>
        sink.ask("strangers", round % 2 === 0 ? strangers : 0),
      [`${edited} routes were edited`]: () => sink.ask("edit", edited),
    };
    const looks = new Map<string, Look[]>(Object.keys(change).map((what) => [what, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [what, make] of Object.entries(change)) {
        await make(round);
        const look = await measure(scene, translator);
        looks.get(what)?.push(look);
        say(
          `${what}: ${look.seconds.toFixed(1)} s, longest block ${look.block.toFixed(0)} ms (${look.own.toFixed(0)} own)`,
        );
      }
    }
    await translator.process.stop();
    const liveSize = { routes: quick ? liveRoutes.quick : liveRoutes.full, quick, say };
    const real = gateway && (await live(gateway, liveSize));
    const all = [...looks.values()].flat();
    return {
      ratios: {
        longestBlockMs: Math.max(...all.map(({ block }) => block)),
        longestOwnBlockMs: Math.max(...all.map(({ own }) => own)),
        ...(real === undefined ? {} : { liveP99ToIdle: real.ratio }),
      },
      tables: [
        ...[...looks].map(([title, of]) => ({ title, rows: rowsOf(of) })),
        ...(real === undefined ? [] : [{ title: "A real APISIX", rows: real.rows }]),
      ],
      notes: [
        `${routes} Services in ${clusters} clusters, a route and an upstream each, in a process that answers as the Admin API does; each audit is asked for by POST /audit, and ends when what it found has been taken up.`,
        "Where routes were edited, the burst that restores them follows, and is measured to its end.",
        "Event loop: a 2 ms timer in the main thread. The block that is judged is by the clock; a machine whose cores are taken makes it longer, so the longest without the wait for a core stands beside it.",
        ...(real === undefined ? [] : [real.note]),
      ],
    };
  },
};

async function measure({ sink }: LoadScene, translator: Translator): Promise<Look> {
  const { process } = translator;
  const before = await process.ask("read");
  const begun = sharedNow();
  const drifted = await askAudit(translator);
  const seconds = (sharedNow() - begun) / 1000;
  await written(sink, drifted);
  const { blocks, usage } = await process.ask("read");
  const { wall, own } = longestSince(blocks, begun);
  return { seconds, cpu: (usage.cpu - before.usage.cpu) / 1000, block: wall, own };
}

/** What was edited is restored. */
async function written(sink: LoadScene["sink"], drifted: number): Promise<void> {
  for (let written = 0; written < drifted;) {
    written += (await sink.ask("written")).writes;
    if (written < drifted) await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}

function rowsOf(looks: readonly Look[]): Row[] {
  const row = (name: string, unit: string, of: (look: Look) => number): Row => ({
    ...{ name, unit, values: looks.map(of) },
  });
  return [
    row("time of the audit", "s", ({ seconds }) => seconds),
    row("CPU, all threads", "s", ({ cpu }) => cpu),
    row("longest event loop block, by the clock", "ms", ({ block }) => block),
    row("longest block without the wait for a core", "ms", ({ own }) => own),
  ];
}
