import type { Identity } from "../../../src/apisix/types.ts";
import type { DeclaredEntry, DeclaredSettings, SourceFacts } from "./declared.ts";
import { addressesOf, serving } from "./endpoints.ts";
import type { Truth } from "./expected.ts";

export interface Member extends DeclaredEntry {
  readonly pod: SourceFacts;
}

/** Nodes of an upstream, of which so many must be there, no matter which. */
interface Choice {
  readonly from: ReadonlySet<string>;
  readonly count: number;
}

/** The nodes that the members of a group give together. */
export interface GivenNodes {
  /** `host:port weight owner` of each node that must be there. */
  readonly nodes: ReadonlySet<string>;
  /** Addresses that may or may not be among the nodes, by any port; those of `must` have to be, by some port. */
  readonly mayIps: ReadonlySet<string>;
  readonly mustIps: ReadonlySet<string>;
  /** Address of each paused Pod → its uid: what it gave before its pause stays. */
  readonly pausedIps: ReadonlyMap<string, string>;
  readonly choices: readonly Choice[];
  /**
   * Addresses of Nodes are, or may be, among them. `selected`: only if that was last accepted, for a Service's declaration
   * is Invalid.
   */
  readonly onNodes: boolean | "selected";
}

interface Context {
  /** Of whoever sets the spec. */
  readonly scheme: string | undefined;
  readonly identity: Identity;
  readonly weight: number;
  readonly maxNodes: number;
}

/** `keptIps`: addresses that may stand whatever the members say. */
export function nodesOf(
  members: readonly Member[],
  settings: DeclaredSettings | undefined,
  identity: Identity,
  keptIps: ReadonlySet<string>,
  { clusters, policy: { maxNodes } }: Truth,
): GivenNodes {
  const given = new Gathering(keptIps);
  for (const member of members) {
    const weight = clusters.find(({ name }) => name === member.pod.cluster)?.weight ?? 0;
    const context: Context = { scheme: settings?.scheme, identity, weight, maxNodes };
    if (member.state === "Forbidden") continue;
    if (member.pod.endpoints === undefined) given.addPod(member, context);
    else given.addService(member, context);
  }
  return given;
}

class Gathering implements GivenNodes {
  readonly nodes = new Set<string>();
  readonly mayIps: Set<string>;
  readonly mustIps = new Set<string>();
  readonly pausedIps = new Map<string, string>();
  readonly choices: Choice[] = [];
  onNodes: GivenNodes["onNodes"] = false;

  constructor(mayIps: ReadonlySet<string>) {
    this.mayIps = new Set(mayIps);
  }

  addPod({ pod, state, settings: own }: Member, { scheme, identity, weight }: Context): void {
    const { ip } = pod;
    if (ip !== undefined && pod.paused && weight !== 0) this.pausedIps.set(ip, pod.uid);
    if (ip === undefined || !pod.living || pod.pending) return;
    if (pod.paused) this.mayIps.add(ip);
    else if (weight === 0) return;
    else if (state === "Invalid" || own === undefined) {
      // By the port, and the readiness, that was last accepted.
      if (pod.ready) this.mustIps.add(ip);
      else this.mayIps.add(ip);
    } else if (own.scheme !== (scheme ?? own.scheme)) return;
    else if (pod.ready || own.publishNotReady)
      this.nodes.add(nodeText(ip, own.portNumber, weight, pod, identity));
  }

  addService(member: Member, context: Context): void {
    const { pod, settings: own } = member;
    const { scheme, weight, identity } = context;
    if (own === undefined || pod.paused) return this.#addUnclear(member, weight);
    if (weight === 0 || own.scheme !== (scheme ?? own.scheme)) return;
    if (own.nodePort !== undefined) return this.#addOnNodes(pod, own, own.nodePort, context);
    for (const { address } of serving(pod.endpoints ?? [], own.publishNotReady))
      this.nodes.add(nodeText(address, own.portNumber, weight, pod, identity));
  }

  /** As it was when it was last clear: `via` may have been either. */
  #addUnclear({ pod }: Member, weight: number): void {
    const { endpoints = [], hostNodes, paused } = pod;
    if (hostNodes !== undefined && (paused || !this.onNodes)) this.onNodes = paused || "selected";
    if (hostNodes !== undefined || paused || weight === 0)
      for (const address of addressesOf(pod)) this.mayIps.add(address);
    else
      for (const { address, rank } of endpoints)
        if (rank < 3) this.mayIps.add(address);
        else this.mustIps.add(address);
  }

  #addOnNodes(pod: SourceFacts, own: DeclaredSettings, port: number, context: Context): void {
    const { weight, identity, maxNodes } = context;
    const { hostNodes = [], endpoints = [], local } = pod;
    this.onNodes = true;
    const named = new Set(serving(endpoints, own.publishNotReady).flatMap(({ nodes }) => nodes));
    const taking = hostNodes.filter(({ name, excluded }) => !excluded && (!local || named.has(name)));
    const texts = taking.map(({ address }) => nodeText(address, port, weight, pod, identity));
    if (texts.length <= maxNodes) return texts.forEach((text) => this.nodes.add(text));
    this.choices.push({ from: new Set(texts), count: maxNodes });
    for (const { address } of taking) this.mayIps.add(address);
  }
}

function nodeText(
  ip: string,
  port: number,
  weight: number,
  { kind, cluster, name }: SourceFacts,
  { share }: Identity,
): string {
  return `${ip}:${port} ${weight} ${share === "none" ? "" : `${cluster}/${kind === "pod" ? name : ""}`}`;
}
