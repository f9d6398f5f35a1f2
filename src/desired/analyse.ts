import { idOf } from "../apisix/identity.ts";
import type { Identity } from "../apisix/types.ts";
import type { Declaration, Share } from "../declare/declaration.ts";
import type { Entry } from "../declare/parse.ts";
import { parseRoutes } from "../declare/parse.ts";
import type { Problem } from "../declare/problem.ts";
import { findDuplicatePairs } from "../declare/duplicate-pairs.ts";
import { defaultShare } from "../declare/share.ts";
import { fillTemplate } from "../declare/template.ts";
import type { SourceObject } from "../store/projection.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { Translation } from "./context.ts";
import type { Member, Source, Stray } from "./member.ts";
import type { Settings } from "./settings.ts";
import { settingsOf } from "./settings.ts";
import { rowOf } from "./source-rows.ts";

/** Reads what an object declares. Routes that it keeps without declaring them are not among its members yet. */
export function analyse(object: SourceObject, cluster: string, translation: Translation): Source {
  if (object.routes === undefined)
    return { cluster, object, members: [], strays: noStrays, keeps: keepsNone };
  const annotation = parseRoutes(object.routes, object.kind);
  if (!annotation.readable) {
    const reason = annotation.problem.message;
    return { cluster, object, members: [], strays: [{ route: "", state: "Invalid", reason }], keeps: "all" };
  }
  const reader = new EntryReader(object, cluster, translation);
  for (const entry of annotation.entries) reader.read(entry);
  const strays = reader.strays.length === 0 ? noStrays : reader.strays;
  const keeps = reader.keeps.length === 0 ? keepsNone : reader.keeps;
  return { cluster, object, members: reader.settled(), strays, keeps };
}

/** Shared by almost every source. */
const noStrays: readonly Stray[] = [];
const keepsNone: readonly string[] = [];

class EntryReader {
  readonly strays: Stray[] = [];
  keeps: "all" | string[] = [];
  readonly #members = new Map<string, Member>();
  readonly #object: SourceObject;
  readonly #cluster: string;
  readonly #translation: Translation;

  constructor(object: SourceObject, cluster: string, translation: Translation) {
    this.#object = object;
    this.#cluster = cluster;
    this.#translation = translation;
  }

  read(entry: Entry): void {
    if (entry.ok) return this.#readValid(entry.declaration);
    const reason = sentenceOf(entry.problems);
    if (entry.name === undefined || entry.share === "unreadable") {
      this.strays.push({ route: entry.name ?? "", state: "Invalid", reason });
      this.keeps = "all";
      return;
    }
    if (this.#members.has(entry.name)) {
      this.strays.push({ route: entry.name, state: "Invalid", reason });
      return;
    }
    const share = this.#shareOf(entry.share);
    if (this.#hasNoPlace(share)) {
      this.strays.push({ route: entry.name, state: "Invalid", reason });
      return;
    }
    this.#add(entry.name, this.#identity(entry.name, share), "Invalid", reason, undefined);
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
    const share = this.#shareOf(declaration.share);
    if (this.#hasNoPlace(share)) {
      this.strays.push({ route: name, state: "Forbidden", reason: this.#translation.fleetRefusal ?? "" });
      return;
    }
    const identity = this.#identity(name, share);
    const problem = this.#problemOf(declaration);
    if (problem !== undefined) return this.#add(name, identity, "Invalid", problem, undefined);
    const hosts = this.#hostsOf(declaration, identity);
    if (typeof hosts === "string") return this.#add(name, identity, "Invalid", hosts, undefined);
    const settings = settingsOf(declaration, hosts, declaration.uris ?? [this.#translation.defaultUri]);
    const reason = this.#refusalOf(declaration, hosts);
    this.#add(name, identity, reason === "" ? "Valid" : "Forbidden", reason, settings);
  }

  /** Why policy does not allow it; `""`: it does. */
  #refusalOf({ plugins }: Declaration, hosts: readonly string[]): string {
    const { plugins: allowed, hosts: policy } = this.#translation;
    const refused = Object.keys(plugins).filter((plugin) => !allowed.has(plugin));
    const host = policy.refusal(this.#cluster, this.#object.namespace, hosts);
    return [
      ...(host === undefined ? [] : [host]),
      ...(refused.length === 0 ? [] : [`plugins: ${refused.join(", ")} is not on the list policy.plugins`]),
    ].join("; ");
  }

  /** A group across clusters, where no shard sees more than one. */
  #hasNoPlace(share: Share): boolean {
    return share === "fleet" && this.#translation.fleetRefusal !== undefined;
  }

  #problemOf(declaration: Declaration): string | undefined {
    return rowOf(this.#object).problemOf(this.#object, declaration);
  }

  #shareOf(declared: Share | undefined): Share {
    const { kind } = this.#object;
    // In one cluster a name is one object's: `cluster` says no more than `none`, and is read as it, in id and label too.
    if (sourceKinds[kind].sharedByName && declared === "cluster") return "none";
    return declared ?? defaultShare(kind, rowOf(this.#object).controllerOf(this.#object));
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

  #identity(route: string, share: Share): Identity {
    const { kind, namespace, name } = this.#object;
    const isNamed = share === "none" || sourceKinds[kind].sharedByName;
    return {
      ...{ share, cluster: share === "fleet" ? "" : this.#cluster, kind, namespace },
      ...{ name: isNamed ? name : "", route },
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
    // What stands under this name stays as it is, whatever share an entry names that cannot be valid.
    if (state === "Invalid" && this.keeps !== "all") this.keeps.push(route);
    this.#members.set(route, {
      id,
      identity,
      cluster: this.#cluster,
      object: this.#object,
      route,
      state,
      reason,
      settings: state === "Invalid" ? undefined : settings,
      counted: true,
      paused: this.#object.paused && { nodes: "unknown" },
    });
  }
}

/** The first problem, which fits an Event's note by itself, and how many there are besides. */
function sentenceOf(problems: readonly Problem[]): string {
  const [first, ...others] = problems;
  if (first === undefined) return "";
  return others.length === 0 ? first.message : `${first.message} (and ${others.length} more)`;
}
