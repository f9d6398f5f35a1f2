import type { ClusterConfig, Config } from "../config.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import { kindRows } from "../watch/kinds.ts";

/** What a check of rights asks for: each of the verbs, in each of the namespaces. */
export interface NeededRight {
  /** As RBAC names it: `pods`, `endpointslices`. */
  readonly resource: string;
  /** API group; `""`: the core group. */
  readonly group: string;
  readonly verbs: readonly string[];
  /** `undefined`: the whole cluster. */
  readonly namespaces: readonly (string | undefined)[];
  /** Of the one object that is meant. */
  readonly name?: string;
  /** What people call that object. */
  readonly title?: string;
  /** What would do as well as to grant it. */
  readonly instead?: string;
  /** What is lost without it. */
  readonly without: string;
  /** Not everybody needs it. */
  readonly isOptional?: boolean;
}

type RightsConfig = Pick<Config, "sources" | "events" | "leader" | "clusterSecrets">;

/** Everything that the configuration makes this instance do in the cluster, but reading its identity. */
export function neededRights(cluster: ClusterConfig, config: RightsConfig): NeededRight[] {
  const { sources, events, leader, clusterSecrets } = config;
  const namespaces = cluster.namespaces.length === 0 ? [undefined] : cluster.namespaces;
  const kinds = [
    ...(sources.pods ? sourceKinds.pod.feeds : []),
    ...(sources.services ? sourceKinds.service.feeds : []),
  ];
  const rights: NeededRight[] = kinds.map((kind) => ({
    ...{ resource: kind, group: groupOf(kindRows[kind].path), verbs: ["list", "watch"], namespaces },
    without: "what rests on them is degraded: kept as it stands",
  }));
  if (sources.services)
    rights.push({
      ...{ resource: "nodes", group: "", verbs: ["list", "watch"], namespaces: [undefined] },
      ...{ without: "Services under via: nodePort are not routed", isOptional: true },
    });
  if (events.enabled)
    rights.push({
      ...{ resource: "events", group: "events.k8s.io", verbs: ["create", "patch"], namespaces },
      without: "problems are logged and explained, and no Events tell them",
    });
  if (leader.enabled && leader.cluster === cluster.name) rights.push(...leaseRights(leader, cluster.name));
  if (clusterSecrets?.cluster === cluster.name)
    rights.push({
      ...{ resource: "secrets", group: "", verbs: ["list", "watch"], namespaces: [clusterSecrets.namespace] },
      without: "no clusters come out of Secrets",
    });
  return rights;
}

function leaseRights({ namespace, lease }: Config["leader"], cluster: string): NeededRight[] {
  const of = { resource: "leases", group: "coordination.k8s.io", namespaces: [namespace] };
  const about = {
    without: "no instance can lead, and nothing is written",
    instead: "set leader.cluster to where the Roles are",
  };
  const title = `the Lease ${namespace}/${lease} in ${cluster}`;
  return [
    { ...of, verbs: ["get", "update", "watch"], name: lease, title, ...about },
    { ...of, verbs: ["create"], ...about },
  ];
}

/** `/apis/discovery.k8s.io/v1/endpointslices` → `discovery.k8s.io`. */
function groupOf(path: string): string {
  return /^\/apis\/([^/]+)\//.exec(path)?.[1] ?? "";
}
