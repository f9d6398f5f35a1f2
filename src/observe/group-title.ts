import type { Identity } from "../apisix/types.ts";

/** What is said of one declaration or group: the parts of its identity, `""` for what it lacks. */
export type Titled = Pick<Identity, "cluster" | "namespace" | "name" | "route"> & { readonly kind: string };

/**
 * What people call it, the same wherever it is told:
 *
 * - an object's declaration: `east-1/shop/pod/web-0, route cart`, whose first part is a target of `explain`;
 * - a group of Pods: `east-1/shop, route cart (group of Pods)`;
 * - the same across clusters: `shop, route cart (group of Pods in all clusters)`, `shop/service/web, route cart (in all
 *   clusters)`.
 *
 * A route whose name cannot be read is left out.
 */
export function groupTitle({ cluster, namespace, kind, name, route }: Titled): string {
  const object = name === "" ? [] : [kind, name];
  const place = [...(cluster === "" ? [] : [cluster]), namespace, ...object].join("/");
  const group = name === "" ? `group of ${kind === "pod" ? "Pods" : "Services"}` : "";
  const reach = cluster === "" ? "in all clusters" : "";
  const kindOfGroup = [group, reach].filter((part) => part !== "").join(" ");
  return `${place}${route === "" ? "" : `, route ${route}`}${kindOfGroup === "" ? "" : ` (${kindOfGroup})`}`;
}
