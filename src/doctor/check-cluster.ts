import type { Watched } from "../watched.ts";
import type { Config } from "../config.ts";
import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import type { KubeConnection } from "../watch/kube-connection.ts";
import { fine, wrong } from "./check.ts";
import type { Finding } from "./check.ts";
import { checkRights } from "./check-rights.ts";
import { checkSlices } from "./check-slices.ts";
import { fieldsOf, KubeClient } from "./kube-client.ts";
import type { KubeAnswer } from "./kube-client.ts";
import { neededRights } from "./needed-rights.ts";

/** Milliseconds that two clocks may differ. */
const mostSkew = 30_000;
/** Milliseconds below which a difference means nothing: a `Date` header has whole seconds, and servers write it ahead. */
const leastSkew = 2000;
/** EndpointSlices are of version v1 from here on. */
const oldestMinor = 21;

export interface ClusterParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly config: Pick<Config, "sources" | "events" | "leader" | "clusterSecrets">;
  readonly connect: (cluster: Watched) => Promise<KubeConnection>;
}

export interface ClusterFindings {
  readonly findings: readonly Finding[];
  /** Uid of `kube-system`; undefined where it could not be read. */
  readonly uid: string | undefined;
}

/** Everything about one cluster, as far as it can be reached; each check that fails by itself keeps the others going. */
export async function checkCluster(cluster: Watched, parts: ClusterParts): Promise<ClusterFindings> {
  let connection: KubeConnection;
  try {
    connection = await parts.connect(cluster);
  } catch (error) {
    const remedy = "correct the kubeconfig, or what it names; the other clusters do not wait for it";
    return endedEarly([wrong("credentials", reasonOf(error), remedy)]);
  }
  try {
    const { uid, findings } = await lookAt(cluster, connection, parts);
    const isRefused = findings.some(({ check, ok }) => check === "credentials" && !ok);
    const all = [...(isRefused ? [] : [fine("credentials", sourceOf(cluster))]), ...findings];
    return uid === undefined ? endedEarly(all) : { findings: all, uid };
  } finally {
    await connection.close();
  }
}

/** Its last finding is why. */
function endedEarly(findings: readonly Finding[]): ClusterFindings {
  const last = findings.length - 1;
  const told = findings.map((finding, at) =>
    at === last ? { ...finding, remedy: `${finding.remedy ?? ""}; ${notMade}` } : finding,
  );
  return { findings: told, uid: undefined };
}

const notMade = "the other checks of this cluster were not made";

function sourceOf({ inCluster, inline, kubeconfig = "" }: Watched): string {
  return inCluster ? "of the Pod's ServiceAccount" : `of ${inline?.origin ?? kubeconfig}`;
}

async function lookAt(
  cluster: Watched,
  connection: KubeConnection,
  { clock, signal, config }: ClusterParts,
): Promise<ClusterFindings> {
  const client = new KubeClient(connection, clock, signal);
  let answer: KubeAnswer;
  const asked = clock.wall();
  try {
    answer = await client.get("/version");
  } catch (error) {
    if (isRefusal(error)) return { findings: [fine("reachable", "it answers"), refused], uid: undefined };
    const remedy =
      "see that the API server is up and can be reached from here, and that certificate-authority is the one that signed its certificate";
    return { findings: [wrong("reachable", reasonOf(error), remedy)], uid: undefined };
  }
  const findings = [
    fine("reachable", "it answers"),
    versionFinding(answer.body),
    clockFinding(answer.date, asked, clock.wall()),
  ];
  const uid = await readUid(client, findings);
  if (uid === undefined) return { findings, uid };
  findings.push(...(await checkRights(client, neededRights(cluster, config))));
  if (config.sources.services && cluster.sliceSelector === "enabled")
    findings.push(await checkSlices(client, cluster));
  return { findings, uid };
}

function versionFinding(body: KubeAnswer["body"]): Finding {
  const { major, minor, gitVersion } = body;
  const version = typeof gitVersion === "string" ? gitVersion.slice(0, 40) : "";
  // Some vendors write 27+.
  const number = Number.parseInt(String(minor), 10);
  if (major === "1" && number >= oldestMinor) return fine("version", `Kubernetes ${version}`);
  const remedy = `upgrade it to 1.${oldestMinor} or newer, and see that nothing answers in its place`;
  return wrong("version", version === "" ? "it does not say" : `Kubernetes ${version}`, remedy);
}

/** The server read its clock between our question and its answer: what fits any moment between is no difference. */
function clockFinding(date: number | undefined, asked: number, answered: number): Finding {
  if (date === undefined) return fine("clock", "the server does not tell the time");
  const off = Math.min(Math.max(date, asked), answered) - date;
  const skew = Math.round(off / 1000);
  const detail =
    Math.abs(off) <= leastSkew
      ? `within ${leastSkew / 1000} s of ours`
      : `${Math.abs(skew)} s ${skew > 0 ? "behind" : "ahead of"} ours`;
  if (Math.abs(off) <= mostSkew) return fine("clock", detail);
  return wrong(
    "clock",
    detail,
    "let both set their clocks by NTP: certificates and tokens are valid by time",
  );
}

/** Undefined, and said why, where it cannot be read: then nothing of the cluster is believed. */
async function readUid(client: KubeClient, findings: Finding[]): Promise<string | undefined> {
  try {
    const { body } = await client.get("/api/v1/namespaces/kube-system");
    const { uid } = fieldsOf(body["metadata"]);
    if (typeof uid === "string" && uid !== "") return uid;
    findings.push(wrong("identity", "the answer for kube-system is not that namespace", identityRemedy));
  } catch (error) {
    if (isRefusal(error)) findings.push(refused);
    else findings.push(wrong("identity", reasonOf(error), identityRemedy));
  }
  return undefined;
}

const isRefusal = (error: unknown): boolean => error instanceof TranslatorError && error.status === 401;

const refused = wrong(
  "credentials",
  "the token or client certificate is refused (401)",
  "renew it (a ServiceAccount's token: kubectl create token)",
);

const identityRemedy =
  "grant get on the namespace kube-system (deploy/rbac.yaml): its uid says which cluster this is";

/** @throws what is no failed request: a bug. */
function reasonOf(error: unknown): string {
  if (error instanceof TranslatorError && error.code !== "ABORTED") return error.message;
  throw error;
}
