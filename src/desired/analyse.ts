import { idOf } from "../apisix/identity.ts";
import type { Identity } from "../apisix/types.ts";
import type { Declaration, Share } from "../declare/declaration.ts";
import type { Entry } from "../declare/parse.ts";
import { parseRoutes } from "../declare/parse.ts";
import type { Problem } from "../declare/problem.ts";
import { findDuplicatePairs } from "../declare/duplicate-pairs.ts";
import type { Pair } from "../declare/pair.ts";
import { defaultShare } from "../declare/share.ts";
import { fillTemplate } from "../declare/template.ts";
import type { SourceObject } from "../store/projection.ts";
import { sourceKinds } from "../store/source-kinds.ts";
import type { Translation } from "./context.ts";
import type { Member, Source, Stray } from "./member.ts";
import { refusalOf } from "./refusal.ts";
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
  reader.settle();
  const strays = reader.strays.length === 0 ? noStrays : reader.strays;
  const keeps = reader.keeps.length === 0 ? keepsNone : reader.keeps;
  return { cluster, object, members: [...reader.members.values()], strays, keeps };
}

/** Shared by almost every source. */
const noStrays: readonly Stray[] = [];
const keepsNone: readonly string[] = [];

class EntryReader {
  readonly members = new Map<string, Member>();
  strays: Stray[] = [];
  keeps: "all" | string[] = [];
  /** Pairs of entries that are well formed, defaults filled, in order. */
  readonly #wanted: { readonly name: string; readonly pairs: readonly Pair[] }[] = [];
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
    if (this.members.has(entry.name)) {
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

  /** Of two with a pair in common the later is Invalid, whatever else is to be said of either. */
  settle(): void {
    if (this.#wanted.length < 2) return;
    for (const { index, problem } of findDuplicatePairs(this.#wanted)) {
      const { name = "" } = this.#wanted[index] ?? {};
      const invalid = { state: "Invalid", reason: problem.message } as const;
      const member = this.members.get(name);
      if (member !== undefined) {
        this.members.set(name, { ...member, ...invalid, settings: undefined });
        this.#keep(name);
      } else
        this.strays = this.strays.map((stray) => (stray.route === name ? { ...stray, ...invalid } : stray));
    }
  }

  #readValid(declaration: Declaration): void {
    const { name } = declaration;
    const share = this.#shareOf(declaration.share);
    const identity = this.#identity(name, share);
    const settings = this.#settingsOf(declaration, identity);
    if (typeof settings !== "string") this.#wanted.push({ name, pairs: settings.pairs });
    if (this.#hasNoPlace(share)) {
      this.strays.push({ route: name, state: "Forbidden", reason: this.#translation.fleetRefusal ?? "" });
      return;
    }
    if (typeof settings === "string") return this.#add(name, identity, "Invalid", settings, undefined);
    const place = { cluster: this.#cluster, namespace: this.#object.namespace };
    const reason = refusalOf(settings, place, this.#translation);
    this.#add(name, identity, reason === "" ? "Valid" : "Forbidden", reason, settings);
  }

  /** A group across clusters, where no shard sees more than one. */
  #hasNoPlace(share: Share): boolean {
    return share === "fleet" && this.#translation.fleetRefusal !== undefined;
  }

  /** Or why it has none. */
  #settingsOf(declaration: Declaration, identity: Identity): Settings | string {
    const problem = rowOf(this.#object).problemOf(this.#object, declaration);
    if (problem !== undefined) return problem;
    const hosts = this.#hostsOf(declaration, identity);
    if (typeof hosts === "string") return hosts;
    return settingsOf(declaration, hosts, declaration.uris ?? [this.#translation.defaultUri]);
  }

  /** What stands under this name stays as it is, whatever share an entry names that cannot be valid. */
  #keep(route: string): void {
    if (this.keeps !== "all") this.keeps.push(route);
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
    if (state === "Invalid") this.#keep(route);
    this.members.set(route, {
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
