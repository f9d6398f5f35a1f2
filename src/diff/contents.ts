import { equalIgnoringDefaults } from "../apisix/canonical.ts";
import { saidDigest } from "../apisix/standing-of.ts";
import type { JsonObject, Standing } from "../apisix/types.ts";
import type { Body } from "../desired/bodies.ts";
import { memberLabels, routeBody, upstreamBody } from "../desired/bodies.ts";
import type { Group, View } from "../desired/group.ts";
import { allKeptNodes } from "../desired/kept.ts";
import type { Settings } from "../desired/settings.ts";
import type { KnownIndex } from "./known-index.ts";
import { nodeText } from "./node-text.ts";
import type { Content, Tracked } from "./tracked.ts";

export type Writable = Extract<View, { type: "live" | "frozen" }>;

/** APISIX takes 1.5 MiB; PRODUCT.md draws the line at 1 MiB. */
const bodyLimit = 1024 * 1024;
/** So many, with names as long as they may be, always fit. */
const nodesThatFit = 500;

/** Builds bodies, and judges whether what stands is what should stand. */
export class Contents {
  readonly #instance: string;
  readonly #known: KnownIndex;
  readonly #uids: ReadonlyMap<string, string>;

  constructor(instance: string, known: KnownIndex, uids: ReadonlyMap<string, string>) {
    this.#instance = instance;
    this.#known = known;
    this.#uids = uids;
  }

  route(group: Group, settings: Settings): Body {
    return routeBody(this.#instance, group, settings);
  }

  /** Undefined while what it depends on has not been read. */
  upstream(group: Group, view: Writable, tracked: Tracked): Body | undefined {
    const body = upstreamBody(this.#instance, group, view, view.nodes, this.#uids);
    if (body === undefined || Buffer.byteLength(body.text) <= bodyLimit) {
      tracked.oversize = undefined;
      return body;
    }
    tracked.oversize = view.nodes.length;
    if (group.kept === undefined) return undefined;
    const standing = new Set(allKeptNodes(group.kept.upstream).map((node) => `${node.host} ${node.port}`));
    const left = view.nodes.filter((node) => standing.has(`${node.host} ${node.port}`));
    return upstreamBody(this.#instance, group, view, left, this.#uids);
  }

  /**
   * Brings the states of both contents up to date. `verify`: they are built and compared with what stands; otherwise
   * what changed is presumed to differ. `missing`: what stands must be read first.
   */
  judge(group: Group, view: Writable, tracked: Tracked, verify: boolean): "judged" | "missing" {
    if (view.missing) return "missing";
    const known = this.#known.get(group.id);
    const unchanged = this.#isUnchanged(group, view, tracked);
    const fits = view.type === "live" && view.nodes.length <= nodesThatFit;
    if (verify && fits && isNew(tracked.upstream, known?.upstream)) {
      tracked.oversize = undefined;
      presumeDiffering(tracked.upstream);
    } else if (verify) this.#verify(tracked.upstream, known?.upstream, this.upstream(group, view, tracked));
    else if (!unchanged) presumeDiffering(tracked.upstream);
    if (view.type === "live") this.#judgeRoute(group, view.settings, tracked, verify);
    return tracked.oversize !== undefined && group.kept === undefined ? "missing" : "judged";
  }

  #isUnchanged(group: Group, view: Writable, tracked: Tracked): boolean {
    const basis = basisKey(view);
    const owners = JSON.stringify(memberLabels(group, view.owners, this.#uids));
    const nodes = nodeText(view.nodes);
    const unchanged = basis === tracked.basis && owners === tracked.owners && nodes === tracked.nodes;
    Object.assign(tracked, { basis, owners, nodes });
    return unchanged;
  }

  /** A route's content is always verified: a needless route write is dear. */
  #judgeRoute(group: Group, settings: Settings, tracked: Tracked, verify: boolean): void {
    if (tracked.upstream.state === "clean") group.accepted = settings;
    const isJudged = tracked.routeKey === settings.key && tracked.route.digest !== undefined;
    if (isJudged && !verify) return;
    tracked.routeKey = settings.key;
    const standing = this.#known.get(group.id)?.route;
    if (isNew(tracked.route, standing)) presumeDiffering(tracked.route);
    else this.#verify(tracked.route, standing, this.route(group, settings));
  }

  #verify(content: Content, standing: Standing | undefined, body: Body | undefined): void {
    if (body === undefined) return;
    if (isStanding(standing, body)) content.state = "clean";
    else if (content.state !== "sent" || content.digest !== body.digest) content.state = "dirty";
    // Of two equal texts one is held.
    content.digest = standing?.digest === body.digest ? standing.digest : body.digest;
  }
}

/** What stands nowhere and is not on its way differs, whatever it is: at a first start that is every body there is. */
function isNew(content: Content, standing: Standing | undefined): boolean {
  return standing === undefined && content.state !== "sent";
}

function presumeDiffering(content: Content): void {
  Object.assign(content, { state: "dirty", digest: undefined });
}

/**
 * Whether what stands is this body: by its hash, or, where somebody else changed the object, field by field. Then its
 * digest label has to be that of the body too, unless whatever was found is followed.
 */
export function isStanding(standing: Standing | undefined, body: Body): boolean {
  if (standing?.found === undefined || body.isAsFound === true) return hasContentOf(standing, body);
  return saidDigest(standing.found) === body.digest && hasContentOf(standing, body);
}

/** Whether what stands says what this body says, whatever its digest label is. */
export function hasContentOf(standing: Standing | undefined, body: Body): boolean {
  if (standing === undefined) return false;
  const { digest, found } = standing;
  if (digest === body.digest) return true;
  return found !== undefined && equalIgnoringDefaults(JSON.parse(body.text) as JsonObject, found);
}

/** Equal for equal settings of the upstream, whether they are declared now or stay in force. */
function basisKey(view: Writable): string {
  if (view.type === "live") return view.settings.key;
  return view.basis?.from === "settings" ? view.basis.settings.key : "as found";
}
