import { failoverTransport } from "../apisix/failover-transport.ts";
import { openGatewayCredentials } from "../apisix/gateway-credentials.ts";
import { createHttpTransport } from "../apisix/http-transport.ts";
import type { HttpTransport } from "../apisix/http-transport.ts";
import { takeSnapshot } from "../apisix/snapshot.ts";
import type { Snapshot } from "../apisix/snapshot.ts";
import type { Config } from "../config.ts";
import type { ReadFile } from "../config/file.ts";
import { TranslatorError } from "../errors.ts";
import { Identities } from "../identities.ts";
import { silentLog } from "../runtime.ts";
import type { Clock } from "../runtime.ts";
import { connectKube } from "../watch/connect-kube.ts";
import type { Environment } from "../watch/kube-access.ts";
import { pluginRunner } from "../watch/run-plugin.ts";
import { fine, wrong } from "./check.ts";
import type { Check, Finding } from "./check.ts";
import { checkCluster } from "./check-cluster.ts";
import type { ClusterFindings } from "./check-cluster.ts";
import { checkGateway, ownedFindings } from "./check-gateway.ts";

/** Clusters that are looked at at the same time. */
const atOnce = 8;
const connections = 4;

export interface ExamineParts {
  readonly clock: Clock;
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly signal: AbortSignal;
  /** Told before each target is looked at. */
  readonly progress: (target: string) => void;
}

/** Looks at every cluster and every URL of the configuration; changes nothing anywhere. In the order of the configuration. */
export async function examine(config: Config, parts: ExamineParts): Promise<Check[]> {
  const [clusters, gateway] = await Promise.all([
    examineClusters(config, parts),
    examineGateway(config, parts),
  ]);
  const identities = new Identities(() => config.clusters.map(({ name }) => name));
  if (gateway.snapshot !== undefined) identities.learn(gateway.snapshot);
  for (const { name, uid } of clusters) if (uid !== undefined) identities.answered(name, uid);
  return [
    ...clusters.flatMap(({ name, uid, findings }) => [
      ...of(name, findings),
      ...of(name, uid === undefined ? [] : [identityFinding(identities, name, uid)]),
    ]),
    ...gateway.checks,
  ];
}

function of(target: string, findings: readonly Finding[]): Check[] {
  return findings.map((finding) => ({ target, ...finding }));
}

function identityFinding(identities: Identities, name: string, uid: string): Finding {
  const refusal = identities.refusal(name, () => false);
  if (refusal === undefined) return fine("identity", uid);
  const remedy = "correct its kubeconfig; or, if the cluster was built anew, accept it: cluster accept";
  return wrong("identity", refusal, remedy);
}

async function examineClusters(
  config: Config,
  { clock, env, signal, progress }: ExamineParts,
): Promise<(ClusterFindings & { readonly name: string })[]> {
  const runPlugin = pluginRunner(env, signal);
  const found: (ClusterFindings & { readonly name: string })[] = [];
  for (let from = 0; from < config.clusters.length; from += atOnce)
    found.push(
      ...(await Promise.all(
        config.clusters.slice(from, from + atOnce).map(async (cluster) => {
          progress(`cluster ${cluster.name}`);
          const connect = () => connectKube(cluster, { clock, env, runPlugin });
          return { name: cluster.name, ...(await checkCluster(cluster, { clock, signal, config, connect })) };
        }),
      )),
    );
  return found;
}

interface GatewayChecks {
  readonly checks: readonly Check[];
  readonly snapshot: Snapshot | undefined;
}

async function examineGateway(config: Config, parts: ExamineParts): Promise<GatewayChecks> {
  const { clock, readFile, signal, progress } = parts;
  const { adminUrls, timeout } = config.gateway;
  const credentials = openGatewayCredentials(config.gateway, { clock, log: silentLog, readFile });
  const ways = adminUrls.map((url) => ({
    url,
    ...createHttpTransport({
      ...{ adminUrl: url, adminKey: credentials.adminKey, tls: credentials.tls, clock, connections },
      connectTimeout: timeout,
    }),
  }));
  try {
    const checks = await Promise.all(
      ways.map(async ({ url, send }) => {
        progress(url);
        return of(url, await checkGateway({ url, transport: send, timeout, signal }));
      }),
    );
    const objects = await examineObjects(config, ways, parts);
    return { ...objects, checks: [...checks.flat(), ...objects.checks] };
  } finally {
    credentials.close();
    await Promise.all(ways.map((way) => way.close()));
  }
}

async function examineObjects(
  { instance, clusters, gateway }: Config,
  ways: readonly (HttpTransport & { readonly url: string })[],
  { clock, progress }: ExamineParts,
): Promise<GatewayChecks> {
  const target = "APISIX";
  progress("the objects in APISIX");
  const transport = failoverTransport(ways, { clock, log: silentLog });
  const { timeout, maxListBytes } = gateway;
  try {
    const snapshot = await takeSnapshot({ transport, clock, instance, timeout, maxListBytes });
    const names = new Set(clusters.map(({ name }) => name));
    return { snapshot, checks: of(target, ownedFindings(snapshot, instance, names)) };
  } catch (error) {
    if (!(error instanceof TranslatorError)) throw error;
    const remedy = "see the checks of its URLs";
    return { snapshot: undefined, checks: of(target, [wrong("objects", error.message, remedy)]) };
  }
}
