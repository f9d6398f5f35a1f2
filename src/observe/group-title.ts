import type { Identity } from "../apisix/types.ts";

/** What is said of one declaration or group: the parts of its identity, `""` for what it lacks. */
export type Titled = Pick<Identity, "cluster" | "namespace" | "name" | "route"> & { readonly kind: string };

/**
 * What people call it, the same wherever it is told. It begins with a target of `explain`:
 *
 * - an object's declaration: `east-1/shop/pod/web-0, route cart`;
 * - a group, by the name that its route has in APISIX: `east-1/shop/cart (group of Pods)`, and across clusters
 *   `shop/cart (group of Pods in all clusters)`, `shop/web/cart (group of Services in all clusters)`.
 *
 * A route whose name cannot be read is left out.
 */
export function groupTitle({ cluster, namespace, kind, name, route }: Titled): string {
  if (cluster !== "" && name !== "")
    return `${cluster}/${namespace}/${kind}/${name}${route === "" ? "" : `, route ${route}`}`;
  const path = [cluster, namespace, name, route].filter((part) => part !== "").join("/");
  const reach = cluster === "" ? " in all clusters" : "";
  return `${path} (group of ${kind === "pod" ? "Pods" : "Services"}${reach})`;
}
