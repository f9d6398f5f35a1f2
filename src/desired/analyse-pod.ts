import { idOf } from "../apisix/identity.ts";
import type { Identity } from "../apisix/types.ts";
import type { Declaration, Share } from "../declare/declaration.ts";
import type { Entry } from "../declare/parse.ts";
import { parseRoutes } from "../declare/parse.ts";
import type { Problem } from "../declare/problem.ts";
import { findDuplicatePairs } from "../declare/duplicate-pairs.ts";
import { defaultShare } from "../declare/share.ts";
import { fillTemplate } from "../declare/template.ts";
import type { PodProjection } from "../store/projection.ts";
import type { Translation } from "./context.ts";
import type { Member, Source, Stray } from "./member.ts";
import { podPort } from "./pod-nodes.ts";
import type { Settings } from "./settings.ts";
import { settingsOf } from "./settings.ts";

/** What an earlier look at the same object, or at APISIX, says about its routes. */
export interface Before {
  /** What this object declared until now; undefined when it is new to this shard. */
  readonly source: Source | undefined;
  /** Whether a group of this id stands in APISIX. */
  readonly stands: (id: string) => boolean;
}

/** Reads what a Pod declares. Routes that an unreadable annotation keeps are added by `keepRoutes`. */
export function analysePod(
  pod: PodProjection,
  cluster: string,
  translation: Translation,
  before: Before,
): Source {
  const base = { cluster, pod };
  if (pod.routes === undefined) return { ...base, members: [], strays: [], keepsAll: false };
  const annotation = parseRoutes(pod.routes, "pod");
  if (!annotation.readable) {
    const reason = annotation.problem.message;
    return { ...base, members: [], strays: [{ route: "", reason }], keepsAll: true };
  }
  const reader = new EntryReader(pod, cluster, translation, before);
  for (const entry of annotation.entries) reader.read(entry);
  return { ...base, members: reader.settled(), strays: reader.strays, keepsAll: reader.keepsAll };
}

class EntryReader {
  readonly strays: Stray[] = [];
  keepsAll = false;
  readonly #members = new Map<string, Member>();
  readonly #pod: PodProjection;
  readonly #cluster: string;
  readonly #translation: Translation;
  readonly #before: Before;

  constructor(pod: PodProjection, cluster: string, translation: Translation, before: Before) {
    this.#pod = pod;
    this.#cluster = cluster;
    this.#translation = translation;
    this.#before = before;
  }

  read(entry: Entry): void {
    if (entry.ok) return this.#readValid(entry.declaration);
    const reason = sentenceOf(entry.problems);
    if (entry.name === undefined || entry.share === "unreadable") {
      this.strays.push({ route: entry.name ?? "", reason });
      this.keepsAll = true;
      return;
    }
    if (this.#members.has(entry.name)) {
      this.strays.push({ route: entry.name, reason });
      return;
    }
    this.#add(entry.name, this.#invalidIdentity(entry.name, entry.share), "Invalid", reason, undefined);
  }

  /** The members, the later of two with a pair in common turned Invalid. */
  settled(): Member[] {
    const members = [...this.#members.values()];
    const valid = members.filter((member) => member.settings !== undefined);
    if (valid.length < 2) return members;
    const wanted = valid.map((member) => ({ name: member.route, pairs: member.settings?.pairs ?? [] }));
    const losers = new Map(
      findDuplicatePairs(wanted).map(({ index, problem }) => [valid[index]?.route, problem.message]),
    );
    return members.map((member) => {
      const reason = losers.get(member.route);
      return reason === undefined ? member : { ...member, state: "Invalid", reason, settings: undefined };
    });
  }

  #readValid(declaration: Declaration): void {
    const { name } = declaration;
    const share = declaration.share ?? defaultShare("pod", this.#pod.controller || undefined);
    const identity = this.#identity(name, share);
    const problem = this.#problemOf(declaration, share);
    if (problem !== undefined) return this.#add(name, identity, "Invalid", problem, undefined);
    const hosts = this.#hostsOf(declaration, identity);
    if (typeof hosts === "string") return this.#add(name, identity, "Invalid", hosts, undefined);
    const settings = settingsOf(declaration, hosts, declaration.uris ?? [this.#translation.defaultUri]);
    const refused = Object.keys(declaration.plugins).filter(
      (plugin) => !this.#translation.plugins.has(plugin),
    );
    if (refused.length === 0) return this.#add(name, identity, "Valid", "", settings);
    const reason = `plugins: ${refused.join(", ")} is not on the list policy.plugins`;
    this.#add(name, identity, "Forbidden", reason, settings);
  }

  #problemOf(declaration: Declaration, share: Share): string | undefined {
    if (share === "fleet") return 'share is "fleet": groups across clusters come with a later version';
    const { port } = declaration;
    if (podPort(this.#pod, port) !== undefined) return undefined;
    const names = this.#pod.ports.map(([name]) => name).join(", ") || "none";
    return `port is ${JSON.stringify(port)}: no container has a port of that name (there are: ${names})`;
  }

  #hostsOf(declaration: Declaration, identity: Identity): readonly string[] | string {
    if (declaration.hosts !== undefined) return declaration.hosts;
    const template = this.#translation.defaultHost;
    if (template === undefined) return "host is missing: the configuration has no defaults.host";
    const filled = fillTemplate(template, {
      route: identity.route,
      namespace: identity.namespace,
      cluster: identity.cluster || undefined,
      name: identity.name || undefined,
    });
    return filled.ok ? [filled.host] : filled.message;
  }

  /** An entry that cannot be valid stays with the route that stands, whatever share it now names. */
  #invalidIdentity(name: string, share: Share | undefined): Identity {
    const old = this.#before.source?.members.find((member) => member.route === name);
    if (old !== undefined) return old.identity;
    const declared = this.#identity(name, share ?? defaultShare("pod", this.#pod.controller || undefined));
    if (this.#stands(declared)) return declared;
    const others = (["none", "cluster"] as const).map((other) => this.#identity(name, other));
    return others.find((identity) => this.#stands(identity)) ?? declared;
  }

  #stands(identity: Identity): boolean {
    return this.#before.stands(idOf(this.#translation.instance, identity));
  }

  #identity(route: string, share: Share): Identity {
    return {
      share,
      cluster: share === "fleet" ? "" : this.#cluster,
      kind: "pod",
      namespace: this.#pod.namespace,
      name: share === "none" ? this.#pod.name : "",
      route,
    };
  }

  #add(
    route: string,
    identity: Identity,
    state: Member["state"],
    reason: string,
    settings: Settings | undefined,
  ): void {
    const id = idOf(this.#translation.instance, identity);
    const old = this.#before.source?.members.find((member) => member.id === id);
    const lastSelection = settings?.selection ?? old?.lastSelection;
    this.#members.set(route, {
      id,
      identity,
      cluster: this.#cluster,
      pod: this.#pod,
      route,
      state,
      reason,
      settings: state === "Invalid" ? undefined : settings,
      lastSelection,
      counted: true,
      paused: this.#pod.paused && { nodes: "unknown" },
    });
  }
}

/** The first problem, which fits an Event's note by itself, and how many there are besides. */
function sentenceOf(problems: readonly Problem[]): string {
  const [first, ...others] = problems;
  if (first === undefined) return "";
  return others.length === 0 ? first.message : `${first.message} (and ${others.length} more)`;
}
