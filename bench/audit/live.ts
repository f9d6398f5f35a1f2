import type { LiveGateway, Row } from "../bench.ts";
import type { Translator } from "../first/translator.ts";
import { LiveProbe, probeRate } from "../gateway/live-probe.ts";
import { openLoadScene } from "../load/load-scene.ts";
import { median } from "../statistics.ts";
import { askAudit } from "./ask-audit.ts";

const instance = "bench-audit";
const clusters = 10;

interface Options {
  readonly routes: number;
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

export interface LiveAudit {
  readonly ratio: number;
  readonly rows: readonly Row[];
  readonly note: string;
}

/** The data plane of a real APISIX while a translator reads everything that stands there, again and again. */
export async function live(gateway: LiveGateway, { routes, quick, say }: Options): Promise<LiveAudit> {
  await using probe = await LiveProbe.open(gateway, instance);
  await using scene = await openLoadScene({
    ...{ clusters, servicesPerCluster: routes / clusters, endpointsPerService: 4 },
    ...{ podsPerCluster: 0, nodesPerCluster: 0 },
  });
  const translator = scene.setup.start({ url: gateway.adminUrl, key: gateway.key }, [
    ...["--instance", instance],
    "--gateway.timeout=30s",
  ]);
  await translator.converged;
  const seconds = quick ? 5 : 10;
  const p99 = { idle: [] as number[], audit: [] as number[] };
  const audits: number[] = [];
  await probe.p99(1);
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    p99.idle.push(await probe.p99(seconds));
    const looking = auditsFor(translator, seconds);
    p99.audit.push(await probe.p99(seconds));
    audits.push(...(await looking));
    say(
      `${routes} routes: p99 idle ${p99.idle.at(-1)?.toFixed(1)}, in audits ${p99.audit.at(-1)?.toFixed(1)} ms`,
    );
  }
  await translator.process.stop();
  return {
    ratio: median(p99.audit) / median(p99.idle),
    rows: [
      { name: "data-plane p99, idle", unit: "ms", values: p99.idle },
      { name: "data-plane p99 while audits follow one another", unit: "ms", values: p99.audit },
      { name: "time of an audit", unit: "s", values: audits },
    ],
    note: `Real APISIX with ${routes} routes: autocannon through 8 connections at ${probeRate} requests a second to one route; idle and audits, one after the other without a pause, take turns. A translator audits at most a hundredth of the time. All share this machine's cores, so what an audit costs in CPU raises the p99 too.`,
  };
}

async function auditsFor(translator: Translator, seconds: number): Promise<number[]> {
  const took: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const begun = performance.now();
    await askAudit(translator);
    took.push((performance.now() - begun) / 1000);
  }
  return took;
}
