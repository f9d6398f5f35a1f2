import { failoverTransport } from "../apisix/failover-transport.ts";
import { openGatewayCredentials } from "../apisix/gateway-credentials.ts";
import { createHttpTransport } from "../apisix/http-transport.ts";
import type { HttpTransport } from "../apisix/http-transport.ts";
import { takeSnapshot } from "../apisix/snapshot.ts";
import type { Snapshot } from "../apisix/snapshot.ts";
import type { Watched } from "../watched.ts";
import type { Config } from "../config.ts";
import type { ReadFile } from "../config/file.ts";
import { TranslatorError } from "../errors.ts";
import { Identities } from "../identities.ts";
import { silentLog } from "../runtime.ts";
import type { Clock } from "../runtime.ts";
import { connectKube } from "../watch/connect-kube.ts";
import type { Environment } from "../watch/kube-access.ts";
import type { KubeConnection } from "../watch/kube-connection.ts";
import { pluginRunner } from "../watch/run-plugin.ts";
import { fine, wrong } from "./check.ts";
import type { Check, Finding } from "./check.ts";
import { checkCluster } from "./check-cluster.ts";
import type { ClusterFindings } from "./check-cluster.ts";
import { checkGateway, ownedFindings } from "./check-gateway.ts";
import { KubeClient } from "./kube-client.ts";
import { secretClusters } from "./secret-clusters.ts";
import type { SecretClusters } from "./secret-clusters.ts";

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

/**
 * Looks at every cluster, those of cluster Secrets too, and at every URL; changes nothing anywhere. In the order of the
 * configuration.
 */
export async function examine(config: Config, parts: ExamineParts): Promise<Check[]> {
  const inSecrets = await lookIntoSecrets(config, parts);
  const watched: readonly Watched[] = [...config.clusters, ...inSecrets.clusters];
  const names = watched.map(({ name }) => name);
  const [clusters, gateway] = await Promise.all([
    examineClusters(watched, config, parts),
    examineGateway(config, names, parts),
  ]);
  const identities = new Identities(() => names);
  if (gateway.snapshot !== undefined) identities.learn(gateway.snapshot);
  for (const { name, uid } of clusters) if (uid !== undefined) identities.answered(name, uid);
  return [
    ...clusters.flatMap(({ name, uid, findings }) => [
      ...of(name, findings),
      ...of(name, uid === undefined ? [] : [identityFinding(identities, name, uid)]),
    ]),
    ...inSecrets.checks,
    ...gateway.checks,
  ];
}

const noClusters: SecretClusters = { clusters: [], checks: [] };

/** A cluster that cannot be reached says so where it is looked at itself. */
async function lookIntoSecrets(
  { clusters, clusterSecrets }: Config,
  { clock, env, signal, progress }: ExamineParts,
): Promise<SecretClusters> {
  const home = clusters.find(({ name }) => name === clusterSecrets?.cluster);
  if (clusterSecrets === undefined || home === undefined) return noClusters;
  progress(`the cluster Secrets in ${home.name}`);
  const names = clusters.map(({ name }) => name);
  let connection: KubeConnection;
  try {
    connection = await connectKube(home, { clock, env });
  } catch (error) {
    if (error instanceof TranslatorError) return noClusters;
    throw error;
  }
  try {
    return await secretClusters(new KubeClient(connection, clock, signal), clusterSecrets, names);
  } finally {
    await connection.close();
  }
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
  clusters: readonly Watched[],
  config: Config,
  { clock, env, signal, progress }: ExamineParts,
): Promise<(ClusterFindings & { readonly name: string })[]> {
  const runPlugin = pluginRunner({ clock, env, signal });
  const found: (ClusterFindings & { readonly name: string })[] = [];
  for (let from = 0; from < clusters.length; from += atOnce)
    found.push(
      ...(await Promise.all(
        clusters.slice(from, from + atOnce).map(async (cluster) => {
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

async function examineGateway(
  config: Config,
  names: readonly string[],
  parts: ExamineParts,
): Promise<GatewayChecks> {
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
    const objects = await examineObjects(config, names, ways, parts);
    return { ...objects, checks: [...checks.flat(), ...objects.checks] };
  } finally {
    credentials.close();
    await Promise.all(ways.map((way) => way.close()));
  }
}

async function examineObjects(
  { instance, gateway }: Config,
  names: readonly string[],
  ways: readonly (HttpTransport & { readonly url: string })[],
  { clock, progress }: ExamineParts,
): Promise<GatewayChecks> {
  const target = "APISIX";
  progress("the objects in APISIX");
  const transport = failoverTransport(ways, { clock, log: silentLog });
  const { timeout, maxListBytes } = gateway;
  for (let tries = 1; ; tries++)
    try {
      const snapshot = await takeSnapshot({ transport, clock, instance, timeout, maxListBytes });
      return { snapshot, checks: of(target, ownedFindings(snapshot, instance, new Set(names))) };
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      if (tries < ways.length) continue;
      const remedy = "see the checks of its URLs";
      return { snapshot: undefined, checks: of(target, [wrong("objects", error.message, remedy)]) };
    }
}
