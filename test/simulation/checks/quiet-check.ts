import type { Identity } from "../../../src/apisix/types.ts";
import type { Expected } from "../oracle/expected.ts";
import { declaredIn, mayBeKept } from "../oracle/expected.ts";
import type { Body, Node } from "../oracle/ownership.ts";
import { contentOf, identityOf, nodesOf, pairsOf, textOf } from "../oracle/ownership.ts";
import type { World } from "../world.ts";
import { isGiven, selectionOf } from "./asked-for.ts";
import { isKeptForSuccessor } from "./former-node.ts";
import { isKeptByService } from "./kept-by-service.ts";
import { isKeptFromMemory } from "./pause-memory.ts";
import { seenPart } from "./seen-part.ts";

/**
 * Invariant 5: when inputs are quiet, APISIX is what the objects mean. Where the objects alone do not say who holds a
 * pair, whoever stands aside must truly be kept from it.
 */
export function differencesOf(world: World): string[] {
  return new QuietCheck(world).differences();
}

/** Ids of groups that stand, that no object declares or from memory alone keeps as they are, and that one may keep. */
export function leftOpenIn(world: World): ReadonlySet<string> {
  const open = new Set<string>();
  const { store } = world.admin;
  for (const { id, value } of [...store.list("routes"), ...store.list("upstreams")]) {
    const identity = identityOf(world.config.instance, id, value);
    if (identity === undefined) continue;
    const { groups, truth } = world.history.latest(identity.cluster);
    // Of a fleet group, whether a cluster has a part in it by a Pod that cannot be read.
    const isOpen = identity.share === "fleet" || !groups.has(id) || isRemembered(world, groups.get(id));
    if (isOpen && mayBeKept(identity, truth)) open.add(id);
  }
  return open;
}

/** Whether whoever leads may keep what stands of the group for a paused member, by what it knew before the pause. */
function isRemembered({ process, history }: World, group: Expected | undefined): boolean {
  if (process === undefined || group === undefined) return false;
  const { truth } = history.latest(group.identity.cluster);
  return isKeptFromMemory(group, truth, { history, lists: process.lists });
}

class QuietCheck {
  readonly #world: World;
  readonly #expected = new Map<string, Expected>();

  constructor(world: World) {
    this.#world = world;
    for (const name of [...world.clusters.keys(), ""])
      for (const [id, group] of world.history.latest(name).groups)
        if (group.identity.cluster === name) this.#expected.set(id, this.#known(group));
  }

  differences(): string[] {
    const found: string[] = [];
    for (const group of this.#expected.values()) {
      const why = this.#differs(group);
      const { cluster, namespace, name, route } = group.identity;
      if (why !== undefined) found.push(`${group.id} (${cluster}/${namespace}/${name}/${route}): ${why}`);
    }
    return [...found, ...this.#leftovers()];
  }

  #known(group: Expected): Expected {
    const stands = (["routes", "upstreams"] as const).some(
      (each) => this.#ours(each, group.id) !== undefined,
    );
    return stands && isRemembered(this.#world, group) ? { ...group, state: "open" } : group;
  }

  #ours(collection: "routes" | "upstreams", id: string): Body | undefined {
    const value = this.#world.admin.store.get(collection, id)?.value;
    const isOurs = value !== undefined && identityOf(this.#world.config.instance, id, value) !== undefined;
    return isOurs ? value : undefined;
  }

  /** Something that is not ours stands under the id: then it is never written. */
  #isOccupied(id: string): boolean {
    return (["routes", "upstreams"] as const).some(
      (collection) =>
        this.#world.admin.store.get(collection, id) !== undefined && this.#ours(collection, id) === undefined,
    );
  }

  #leftovers(): string[] {
    const found: string[] = [];
    for (const collection of ["routes", "upstreams"] as const)
      for (const { id, value } of this.#world.admin.store.list(collection)) {
        const identity = identityOf(this.#world.config.instance, id, value);
        if (identity === undefined || this.#expected.has(id) || this.#isOccupied(id)) continue;
        const { truth } = this.#world.history.latest(identity.cluster);
        if (!mayBeKept(identity, truth)) found.push(`${collection}/${id} stands though nothing declares it`);
        const why = collection === "upstreams" ? this.#followedDiffers(id, identity, value) : undefined;
        if (why !== undefined) found.push(`${id} is kept for what cannot be read, and ${why}`);
      }
    return found;
  }

  #differs(group: Expected): string | undefined {
    const { id, state } = group;
    if (this.#isOccupied(id)) return undefined;
    if (state === "open") return this.#openDiffers(group);
    const route = this.#ours("routes", id);
    const upstream = this.#ours("upstreams", id);
    if (state === "frozen") return this.#frozenDiffers(group, upstream);
    const isHolding = route !== undefined && textOf(pairsOf(route, true)) === textOf(group.pairs);
    if (isHolding) return this.#holderDiffers(group, route, upstream);
    if (!group.pairs.some((pair) => this.#isTaken(pair, group)))
      return `is not routed, though nobody keeps it from ${group.pairs.join(", ")}`;
    if (this.#world.gateway.touched.has(id) || upstream === undefined) return undefined;
    if (route === undefined) return "is in conflict and has no route, but its upstream stands";
    return this.#acceptedDiffers(group, upstream);
  }

  #holderDiffers(group: Expected, route: Body, upstream: Body | undefined): string | undefined {
    if (contentOf(route) !== contentOf(group.route))
      return `its route is ${contentOf(route)} in place of ${contentOf(group.route)}`;
    if (upstream === undefined) return "its upstream is missing";
    const { nodes: _nodes, ...settings } = upstream;
    if (contentOf(withoutSilent(settings, group)) !== contentOf(group.upstream))
      return `its upstream is ${contentOf(settings)} in place of ${contentOf(group.upstream)}`;
    for (const pair of group.pairs) {
      const own = this.#world.admin.store.get("routes", group.id)?.createdIndex ?? 0;
      const older = this.#world.gateway
        .routesOn(pair)
        .find((other) => !other.ours && other.createdIndex < own);
      if (older !== undefined) return `stands on "${pair}" beside the older foreign ${older.id}`;
    }
    return this.#nodesDiffer(group, upstream);
  }

  /** The nodes of what keeps other settings than are declared, for APISIX refuses those or a cluster is out of sight. */
  #openDiffers(group: Expected): string | undefined {
    const { id, identity, refused } = group;
    const upstream = this.#ours("upstreams", id);
    if (upstream === undefined || this.#world.gateway.touched.has(id)) return undefined;
    const { truth } = this.#world.history.latest(identity.cluster);
    const isWhole = truth.clusters.every(({ known }) => known);
    const seen = isWhole ? { group, upstream } : seenPart(id, upstream, truth);
    if (seen === undefined || seen.group.pausedIps.size > 0 || (isWhole && !refused)) return undefined;
    return this.#acceptedDiffers(seen.group, seen.upstream);
  }

  /** The nodes of what stands by other settings than are declared: where those choose the same nodes. */
  #acceptedDiffers(group: Expected, upstream: Body): string | undefined {
    const isAlike =
      selectionOf(upstream) === selectionOf(group.upstream) &&
      upstream["scheme"] === group.upstream["scheme"];
    return isAlike ? this.#nodesDiffer(group, upstream) : undefined;
  }

  #frozenDiffers(group: Expected, upstream: Body | undefined): string | undefined {
    if (upstream === undefined) return undefined;
    return this.#nodesDiffer(group, upstream) ?? this.#followedDiffers(group.id, group.identity, upstream);
  }

  /** The nodes of one Pod whose declaration is no good go by what was last accepted, as the label says. */
  #followedDiffers(id: string, identity: Identity, upstream: Body): string | undefined {
    const { kind, share, cluster, namespace, name } = identity;
    const { truth } = this.#world.history.latest(cluster);
    const isKnown = truth.clusters.every(({ known, weight }) => known && weight > 0);
    if (kind !== "pod" || share !== "none" || !isKnown || this.#world.gateway.touched.has(id))
      return undefined;
    const source = [...declaredIn(truth)]
      .map(({ pod }) => pod)
      .find((pod) => pod.kind === kind && pod.namespace === namespace && pod.name === name);
    const selection = selectionOf(upstream);
    const [port] = selection?.split(",") ?? [];
    if (source === undefined || source.paused) return undefined;
    const { ip } = source;
    const gives = isGiven(source, selection);
    const standing = nodesOf(upstream);
    // Of a port's name, this Pod says which number it is now.
    const isPort = (at: number): boolean => Number.isNaN(Number(port)) || at === Number(port);
    const isRight = standing.every((node) => node.host === ip && isPort(node.port));
    if (isRight && standing.length === (gives ? 1 : 0)) return undefined;
    return `has the nodes ${JSON.stringify(standing)}, and ${gives ? `${ip}:${port}` : "none"} is meant`;
  }

  #nodesDiffer({ identity, nodes, mayIps, mustIps, choices }: Expected, upstream: Body): string | undefined {
    const standing = nodesOf(upstream);
    const owner = (node: (typeof standing)[number]): string =>
      node.metadata === undefined ? "" : `${node.metadata.cluster}/${node.metadata.name ?? ""}`;
    const texts = standing.map((node) => `${node.host}:${node.port} ${node.weight} ${owner(node)}`);
    for (const node of nodes) if (!texts.includes(node)) return `lacks the node ${node}`;
    for (const { from, count } of choices) {
      const chosen = texts.filter((text) => from.has(text)).length;
      if (chosen !== count) return `has ${chosen} of ${from.size} Nodes in place of ${count}`;
    }
    for (const ip of mustIps)
      if (!standing.some(({ host }) => host === ip)) return `lacks a node with the address ${ip}`;
    for (const [index, node] of standing.entries()) {
      const { host } = node;
      const isMeant = nodes.has(texts[index] ?? "") || mustIps.has(host) || mayIps.has(host);
      if (!isMeant && !this.#isKeptByPause(node, identity))
        return `has the node ${texts[index]}, which nothing gives`;
    }
    return undefined;
  }

  #isKeptByPause(node: Node, identity: Identity): boolean {
    const { process, history } = this.#world;
    if (process === undefined) return false;
    const heard = { history, lists: process.lists };
    return isKeptForSuccessor(node, identity, heard) || isKeptByService(node, identity, heard);
  }

  /** Whether another route keeps the pair from the group, and does not give it up. */
  #isTaken(pair: string, group: Expected): boolean {
    return this.#world.gateway.routesOn(pair).some(({ id, ours }) => {
      if (id === group.id) return false;
      if (!ours || this.#isOccupied(id)) return true;
      const holder = this.#expected.get(id);
      return holder === undefined || holder.state !== "live" || holder.pairs.includes(pair);
    });
  }
}

/**
 * Of a cluster whose members in a fleet group neither set its spec nor give it nodes, the label may stand or not: what it
 * had before, it may have kept.
 */
function withoutSilent(settings: Body, { identity, upstream }: Expected): Body {
  if (identity.share !== "fleet") return settings;
  const meant = (upstream["labels"] ?? {}) as Readonly<Record<string, unknown>>;
  const labels = Object.entries(settings["labels"] ?? {}).filter(
    ([name]) => !name.startsWith("translator/member.") || name in meant,
  );
  return { ...settings, labels: Object.fromEntries(labels) };
}
