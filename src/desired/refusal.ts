import type { Translation } from "./context.ts";
import type { Member } from "./member.ts";
import type { Settings } from "./settings.ts";

/** Why policy does not allow such settings to objects of this place; `""`: it does. */
export function refusalOf(
  { hosts, plugins }: Settings,
  { cluster, namespace }: { readonly cluster: string; readonly namespace: string },
  { hosts: policy, plugins: allowed }: Translation,
): string {
  const host = policy.refusal(cluster, namespace, hosts);
  const refused = plugins.filter((plugin) => !allowed.has(plugin));
  return [
    ...(host === undefined ? [] : [host]),
    ...(refused.length === 0 ? [] : [`plugins: ${refused.join(", ")} is not on the list policy.plugins`]),
  ].join("; ");
}

/** The same member as the policy of now sees it, by what it was read to ask for. */
export function judgedAnew(member: Member, translation: Translation): Member {
  const { settings, cluster, object } = member;
  if (settings === undefined) return member;
  const reason = refusalOf(settings, { cluster, namespace: object.namespace }, translation);
  if (reason === member.reason) return member;
  return { ...member, state: reason === "" ? "Valid" : "Forbidden", reason };
}
