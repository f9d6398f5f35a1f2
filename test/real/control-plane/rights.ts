import { setTimeout as delay } from "node:timers/promises";
import type { KubeClient } from "./kube-client.ts";

/** A rule of a ClusterRole, without non-resource URLs. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** Exactly what the translator needs of a cluster that it watches: as deploy/rbac.yaml grants it. */
export const watchRules: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["pods", "services", "nodes"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["get", "list", "watch"] },
  { apiGroups: [""], resources: ["namespaces"], resourceNames: ["kube-system"], verbs: ["get"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];

/** What it needs besides in the cluster that holds its Lease, in the Lease's namespace. `create` cannot be limited to a name. */
export const leaseRules: readonly PolicyRule[] = [
  {
    ...{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: ["apisix-translator"] },
    verbs: ["get", "update", "watch"],
  },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
];

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const tokenSeconds = 86_400;
const pollMs = 50;

/** Makes a ServiceAccount in `namespace`, bound cluster-wide to exactly `rules`; resolves when they are in force. */
export async function createServiceAccount(
  admin: KubeClient,
  namespace: string,
  name: string,
  rules: readonly PolicyRule[],
): Promise<void> {
  const metadata = { name };
  await admin.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata });
  await admin.create(`${rbac}/clusterroles`, { metadata, rules });
  await admin.create(`${rbac}/clusterrolebindings`, {
    metadata,
    roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", namespace, name }],
  });
  // The authorizer reads role and binding from a watch of its own, a moment later.
  for (const rule of rules) await untilAllowed(admin, `system:serviceaccount:${namespace}:${name}`, rule);
}

async function untilAllowed(admin: KubeClient, user: string, rule: PolicyRule): Promise<void> {
  const resourceAttributes = {
    group: rule.apiGroups[0],
    resource: rule.resources[0],
    verb: rule.verbs[0],
    name: rule.resourceNames?.[0],
  };
  const review = { spec: { user, resourceAttributes } };
  const deadline = AbortSignal.timeout(30_000);
  while (!deadline.aborted) {
    const answer = await admin.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
    const status = answer["status"];
    if (typeof status === "object" && status !== null && "allowed" in status && status.allowed === true)
      return;
    await delay(pollMs);
  }
  throw new Error(`${user} is still not allowed ${JSON.stringify(resourceAttributes)} after 30 s`);
}

/** A token of the TokenRequest API, as a Pod gets it; ends with its ServiceAccount, or after a day. */
export async function requestToken(admin: KubeClient, namespace: string, name: string): Promise<string> {
  const answer = await admin.create(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: tokenSeconds },
  });
  const status = answer["status"];
  if (
    typeof status !== "object" ||
    status === null ||
    !("token" in status) ||
    typeof status.token !== "string"
  ) {
    throw new Error(`the TokenRequest API answered no token for ${namespace}/${name}`);
  }
  return status.token;
}
