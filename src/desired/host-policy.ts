import { admits, matchesGlob, parseHostPattern } from "../declare/host-pattern.ts";
import type { HostPattern } from "../declare/host-pattern.ts";
import type { HostRule } from "../shard/protocol.ts";

/** Patterns that a reason names: enough to see what is meant. */
const mostNamed = 8;

interface Rule {
  /** Globs; undefined: all. */
  readonly clusters: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
  readonly hosts: readonly HostPattern[];
}

/** `policy.hosts`: who may claim which host. No rule at all: everybody every host. */
export class HostPolicy {
  readonly #rules: readonly Rule[];

  constructor(rules: readonly HostRule[]) {
    this.#rules = rules.map(({ clusters, namespaces, hosts }) => ({
      ...{ clusters, namespaces },
      hosts: hosts.flatMap((host) => parseHostPattern(host) ?? []),
    }));
  }

  /** Why objects of this namespace may not claim one of the hosts, one sentence; undefined: they may claim all. */
  refusal(cluster: string, namespace: string, hosts: readonly string[]): string | undefined {
    if (this.#rules.length === 0) return undefined;
    const patterns = this.#rules
      .filter((rule) => names(rule.clusters, cluster) && names(rule.namespaces, namespace))
      .flatMap((rule) => rule.hosts);
    const refused = hosts.find((host) => !patterns.some((pattern) => admits(pattern, host)));
    if (refused === undefined) return undefined;
    const place = `namespace ${namespace} of cluster ${cluster}`;
    return `host is ${JSON.stringify(refused)}: policy.hosts does not allow it to ${place}; allowed is ${listOf(patterns)}${hint(patterns, refused)}`;
  }
}

function names(globs: readonly string[] | undefined, name: string): boolean {
  return globs === undefined || globs.some((glob) => matchesGlob(glob, name));
}

/** Where one of the patterns looks as if it allowed the host: why it does not, and what would. */
function hint(patterns: readonly HostPattern[], host: string): string {
  const wider = (domain: string): string => `${JSON.stringify(`**.${domain}`)} would allow it`;
  if (host.startsWith("*."))
    return `; a wildcard host answers at any depth, and no pattern but one with "**." in front is as wide: ${wider(host.slice(2))}`;
  const near = patterns.find(({ isDeep, labels: [first, ...labels] }) => {
    return !isDeep && first === "*" && labels.length > 0 && admits({ text: "", isDeep: true, labels }, host);
  });
  if (near !== undefined) return `; "*" stands for one label: ${wider(near.labels.slice(1).join("."))}`;
  const below = patterns.find((pattern) => pattern.isDeep && admits({ ...pattern, isDeep: false }, host));
  return below === undefined
    ? ""
    : `; "**." stands for one label or more: ${JSON.stringify(host)} would allow it`;
}

function listOf(patterns: readonly HostPattern[]): string {
  const texts = [...new Set(patterns.map(({ text }) => text))];
  const more = texts.length - mostNamed;
  if (texts.length === 0) return "no host";
  return texts.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
