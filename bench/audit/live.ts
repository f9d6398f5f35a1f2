import type { LiveGateway, Row } from "../bench.ts";
import type { Translator } from "../first/translator.ts";
import { LiveAdmin } from "../gateway/live-admin.ts";
import { openLoadScene } from "../load/load-scene.ts";
import type { CannonCommands } from "../processes/cannon-process.ts";
import { Child } from "../processes/child.ts";
import type { EchoCommands } from "../processes/echo-process.ts";
import { median, quantile } from "../statistics.ts";
import { askAudit } from "./ask-audit.ts";

const instance = "bench-audit";
const clusters = 10;
const perSecond = 500;
const host = "probe.bench.example.com";

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
  const admin = new LiveAdmin(gateway);
  await using all = new AsyncDisposableStack();
  const echo = new Child<EchoCommands>(new URL("../processes/echo-process.ts", import.meta.url));
  const cannon = new Child<CannonCommands>(new URL("../processes/cannon-process.ts", import.meta.url));
  all.defer(async () => {
    await admin.clear(instance);
    await Promise.all([echo.stop(), cannon.stop()]);
  });
  await admin.clear(instance);
  await admin.putProbe(host, await echo.ask("listen"));
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
  await probe(gateway, cannon, 1);
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    p99.idle.push(await probe(gateway, cannon, seconds));
    const looking = auditsFor(translator, seconds);
    p99.audit.push(await probe(gateway, cannon, seconds));
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
    note: `Real APISIX with ${routes} routes: autocannon through 8 connections at ${perSecond} requests a second to one route; idle and audits, one after the other without a pause, take turns. A translator audits at most a hundredth of the time. All share this machine's cores, so what an audit costs in CPU raises the p99 too.`,
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

async function probe(
  { proxyUrl }: LiveGateway,
  cannon: Child<CannonCommands>,
  seconds: number,
): Promise<number> {
  const { times, failed } = await cannon.ask("probe", `${proxyUrl}/`, host, perSecond, seconds);
  if (failed > times.length / 100)
    throw new Error(`${failed} of ${times.length} requests through the gateway failed`);
  return quantile([...times], 0.99);
}
