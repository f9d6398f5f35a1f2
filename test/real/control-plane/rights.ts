import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parseAllDocuments } from "yaml";
import type { KubeClient } from "./kube-client.ts";

/** Whom `deploy/rbac.yaml` gives its rights. */
export const account = { namespace: "apisix-translator", name: "apisix-translator" };

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
}

export interface RightsOptions {
  /** The cluster holds the Lease and cluster Secrets: the Roles of their namespace are applied, too. */
  readonly isHome: boolean;
  /** Resources, in the plural, that are left out of every rule. */
  readonly without?: readonly string[];
}

const tokenSeconds = 86_400;
const pollMs = 50;

/** Applies `deploy/rbac.yaml` as an operator does; resolves when all that it grants is in force. */
export async function applyRights(admin: KubeClient, options: RightsOptions): Promise<void> {
  const { isHome, without = [] } = options;
  const wanted = (await deployed())
    .filter(({ kind }) => isHome || (kind !== "Role" && kind !== "RoleBinding"))
    .map((object) => limited(object, without));
  for (const object of wanted) await admin.create(collectionOf(object), object);
  // The authorizer reads roles and bindings from a watch of its own, a moment later.
  for (const { rules = [], metadata } of wanted)
    for (const rule of rules) await untilAllowed(admin, rule, metadata.namespace);
}

/** Gives what was left out. */
export async function grantAll(admin: KubeClient): Promise<void> {
  for (const { kind, metadata, rules } of await deployed()) {
    if (kind !== "ClusterRole" || rules === undefined) continue;
    await admin.patch(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${metadata.name}`, { rules });
    for (const rule of rules) await untilAllowed(admin, rule, undefined);
  }
}

async function deployed(): Promise<readonly RbacObject[]> {
  const text = await readFile(new URL("../../../deploy/rbac.yaml", import.meta.url), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as RbacObject);
}

function limited(object: RbacObject, without: readonly string[]): RbacObject {
  const { rules } = object;
  if (rules === undefined) return object;
  const kept = rules
    .map((rule) => ({ ...rule, resources: rule.resources.filter((resource) => !without.includes(resource)) }))
    .filter(({ resources }) => resources.length > 0);
  return { ...object, rules: kept };
}

function collectionOf({ kind, metadata: { namespace } }: RbacObject): string {
  const isCore = kind === "ServiceAccount" || kind === "Namespace";
  const root = isCore ? "/api/v1" : "/apis/rbac.authorization.k8s.io/v1";
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${root}${place}/${kind.toLowerCase()}s`;
}

async function untilAllowed(admin: KubeClient, rule: Rule, namespace: string | undefined): Promise<void> {
  const resourceAttributes = {
    ...{ group: rule.apiGroups[0], resource: rule.resources[0], verb: rule.verbs[0] },
    ...{ name: rule.resourceNames?.[0], namespace },
  };
  const user = `system:serviceaccount:${account.namespace}:${account.name}`;
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
export async function requestToken(admin: KubeClient): Promise<string> {
  const { namespace, name } = account;
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
