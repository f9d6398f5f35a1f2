import { isDnsLabel } from "../declare/dns-label.ts";
import { normalizeHost } from "../declare/host.ts";

/** What `explain` is asked about. */
export type Target =
  | {
      readonly kind: "object";
      readonly cluster: string;
      readonly namespace: string;
      readonly source: "pod" | "service";
      readonly name: string;
    }
  /** What has this id in APISIX. */
  | { readonly kind: "id"; readonly id: string }
  /** `host` is normalised; `uri` is taken as written, so that it can be what a request asks or what a route says. */
  | { readonly kind: "pair"; readonly host: string; readonly uri: string | undefined };

export type TargetResult =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly message: string };

const allowed = "cluster/namespace/pod/name, cluster/namespace/service/name, a host, or host/uri";

/** A host name of 253 characters and a uri of 4,096, APISIX's limit. */
const longest = 4350;

/**
 * Reads a target. Four segments of which the third is `pod` or `service` and the first a DNS label are an object: a
 * cluster's name has no dot, which the hosts that people route have.
 */
export function parseTarget(text: string): TargetResult {
  if (text === "") return refuse("a target must not be empty");
  if (text.length > longest) return refuse(`a target has at most ${longest} characters`);
  if (/[\s\p{C}]/u.test(text)) return refuse("a target has no space or control character");
  if (text.includes("://")) return refuse("a target has no scheme");
  if (/^t-[0-9a-f]{40}$/.test(text)) return { ok: true, target: { kind: "id", id: text } };
  const [cluster = "", namespace = "", source, name = "", ...more] = text.split("/");
  const isObject = (source === "pod" || source === "service") && more.length === 0 && isDnsLabel(cluster);
  if (!isObject) return pair(text);
  if (!isDnsLabel(namespace)) return refuse(`${JSON.stringify(namespace)} cannot be the name of a namespace`);
  if (name.length > 253 || !name.split(".").every(isDnsLabel))
    return refuse(`${JSON.stringify(name)} cannot be the name of a ${source === "pod" ? "Pod" : "Service"}`);
  return { ok: true, target: { kind: "object", cluster, namespace, source, name } };
}

function pair(text: string): TargetResult {
  const slash = text.indexOf("/");
  const host = normalizeHost(slash < 0 ? text : text.slice(0, slash));
  if (!host.ok) return refuse(host.message.replace(/; allowed .*/, ""));
  return {
    ok: true,
    target: { kind: "pair", host: host.host, uri: slash < 0 ? undefined : text.slice(slash) },
  };
}

const refuse = (fault: string): TargetResult => ({ ok: false, message: `${fault}; allowed: ${allowed}` });
