import type { EmbeddedCluster } from "./embedded-cluster.ts";

/** Answers a `SelfSubjectAccessReview`: forbidden kinds are forbidden for every verb, all others allowed. */
export function accessReview({ access }: Pick<EmbeddedCluster, "access">, body: string): object {
  const spec = fieldsOf(fieldsOf(parsed(body))["spec"]);
  const { resource } = fieldsOf(spec["resourceAttributes"]);
  const allowed = ![...access.forbidden].some((forbidden) => forbidden === resource);
  return {
    ...{ kind: "SelfSubjectAccessReview", apiVersion: "authorization.k8s.io/v1", metadata: {}, spec },
    status: allowed ? { allowed, reason: "RBAC: allowed by ClusterRoleBinding" } : { allowed },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
