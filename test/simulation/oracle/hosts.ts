import type { Identity } from "../../../src/apisix/types.ts";
import type { Policy } from "./declared.ts";

/** Which hosts an entry asks for, and whether it may have them. */

export function mayHave(
  host: string,
  { namespace }: Identity,
  cluster: string,
  { hosts: rules }: Policy,
): boolean {
  if (rules.length === 0) return true;
  return rules.some(
    (rule) =>
      (rule.clusters ?? [cluster]).includes(cluster) &&
      (rule.namespaces ?? [namespace]).includes(namespace) &&
      rule.hosts.some((pattern) => admits(pattern, host)),
  );
}

/** `*`: part of one label. `**.` in front: any depth, and the only thing that is as wide as a wildcard host. */
function admits(pattern: string, host: string): boolean {
  const isDeep = pattern.startsWith("**.");
  const base = (isDeep ? pattern.slice(3) : pattern).replaceAll(".", "[.]").replaceAll("*", "[a-z0-9-]*");
  if (host.startsWith("*.")) return isDeep && new RegExp(`^([a-z0-9-]+[.])*${base}$`).test(host.slice(2));
  return new RegExp(isDeep ? `^([a-z0-9-]+[.])+${base}$` : `^${base}$`).test(host);
}

export function hostsOf(
  fields: Record<string, unknown>,
  identity: Identity,
  policy: Policy,
): readonly string[] | undefined {
  const isWritten = fields["hosts"] !== undefined || fields["host"] !== undefined;
  return isWritten ? writtenHosts(fields) : filled(policy.defaultHost, identity);
}

/** Undefined where none is written, or one cannot be a host. */
export function writtenHosts(fields: Record<string, unknown>): readonly string[] | undefined {
  const written = fields["hosts"] ?? (fields["host"] === undefined ? undefined : [fields["host"]]);
  const hosts = (written as string[] | undefined)?.map((host) => host.toLowerCase().replace(/\.$/, ""));
  const isGood = hosts?.every((host) => /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(host));
  return isGood === true ? hosts?.toSorted() : undefined;
}

function filled(template: string | undefined, identity: Identity): readonly string[] | undefined {
  if (template === undefined) return undefined;
  const { route, namespace, cluster, name } = identity;
  if (cluster === "" && template.includes("{cluster}")) return undefined;
  const host = template
    .replace("{route}", route)
    .replace("{namespace}", namespace)
    .replace("{cluster}", cluster)
    .replace("{name}", name);
  return host.includes("{") ? undefined : [host];
}
