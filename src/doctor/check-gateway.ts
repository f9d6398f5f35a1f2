import { readAnswer } from "../apisix/answer.ts";
import type { Answer } from "../apisix/answer.ts";
import { versionOf } from "../apisix/snapshot.ts";
import type { Snapshot } from "../apisix/snapshot.ts";
import type { AdminTransport } from "../apisix/transport.ts";
import { TranslatorError } from "../errors.ts";
import { fine, wrong } from "./check.ts";
import type { Finding } from "./check.ts";

/** Of the form of our ids; nothing stands under it. */
const path = `/apisix/admin/upstreams/t-${"0".repeat(40)}`;
/** The oldest that the recorded answers were compared with is 3.x. */
const knownMajor = 3;

export interface GatewayParts {
  readonly url: string;
  readonly transport: AdminTransport;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Everything about one URL of the Admin API. Reads one object that is not there, and changes nothing. */
export async function checkGateway({ url, transport, timeout, signal }: GatewayParts): Promise<Finding[]> {
  let answer: Answer;
  try {
    answer = await readAnswer(await transport({ method: "GET", path, timeout, signal }));
  } catch (error) {
    if (!(error instanceof TranslatorError) || error.code === "ABORTED") throw error;
    const remedy =
      "see that the Admin API listens there, allows this address (allow_admin) and, for https, that gateway.tls fits";
    return [wrong("reachable", error.message, remedy)];
  }
  return [fine("reachable", "it answers"), tlsFinding(url), ...answerFindings(answer)];
}

function answerFindings({ status, server, json }: Answer): Finding[] {
  const version = versionOf(server);
  if (status === 401 || status === 403)
    return [
      wrong(
        "key",
        `the admin key is refused (${status})`,
        "put the right one into gateway.adminKeyFile or APISIX_ADMIN_KEY",
      ),
    ];
  const isThere = status === 200 || (status === 404 && json !== undefined);
  if (!isThere) {
    const remedy = "see that this is APISIX's Admin API, in etcd mode, and that its etcd is up";
    return [wrong("key", `it answers ${status} to a read`, remedy)];
  }
  return [fine("key", "the admin key is accepted"), versionFinding(version), routerFinding];
}

function tlsFinding(url: string): Finding {
  if (url.startsWith("https:")) return fine("tls", "it has proved who it is");
  return fine("tls", "none: the admin key travels as it is", "use https where others can listen");
}

function versionFinding(version: string): Finding {
  if (version === "") return fine("version", "the server does not say");
  if (Number.parseInt(version, 10) === knownMajor) return fine("version", `APISIX ${version}`);
  return wrong("version", `APISIX ${version}`, "use APISIX 3.x: others are not known to answer alike");
}

const routerFinding: Finding = fine(
  "router",
  "the Admin API does not tell; conflicts are judged as the default router, radixtree_host_uri, matches",
);

/** What this instance owns. `clusters`: the names in the configuration. */
export function ownedFindings(
  { owned, routes, forged }: Snapshot,
  instance: string,
  clusters: ReadonlySet<string>,
): Finding[] {
  let [ourRoutes, ourUpstreams] = [0, 0];
  const left = new Map<string, number>();
  for (const { identity, upstream, route } of owned.values()) {
    if (route !== undefined) ourRoutes++;
    if (upstream !== undefined) ourUpstreams++;
    const { cluster } = identity;
    if (cluster !== "" && !clusters.has(cluster)) left.set(cluster, (left.get(cluster) ?? 0) + 1);
  }
  const detail = `${counted(ourRoutes, "route")} and ${counted(ourUpstreams, "upstream")} of instance ${instance}, ${counted(routes - ourRoutes, "route")} of others`;
  const names = [...left].map(([cluster, count]) => `${cluster} (${counted(count, "group")})`).join(", ");
  const remedy = "add these clusters to the configuration, or delete their part with purge";
  return [
    fine("objects", detail),
    ...(left.size === 0 ? [] : [fine("clusters that left", names, remedy)]),
    ...(forged.length === 0
      ? []
      : [
          wrong(
            "forged labels",
            `${counted(forged.length, "object")} with our labels on an id that is not theirs`,
            "see who made them: they are never touched",
          ),
        ]),
  ];
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
