import { memberLabelPrefix } from "./apisix/labels.ts";
import type { Clusters } from "./clusters.ts";
import { TranslatorError } from "./errors.ts";
import type { Identities } from "./identities.ts";
import type { Intake } from "./intake.ts";
import { whyNotKnown } from "./observe/left-clusters.ts";
import type { Decision } from "./observe/observed.ts";
import type { Clock, Log } from "./runtime.ts";
import type { Audit } from "./write/audit.ts";
import { mayStand, type GroupRecord } from "./write/group-record.ts";
import type { Writer } from "./write/writer.ts";

/** Milliseconds for which an answer waits for what a purge takes away; that goes on. */
const purgePatience = 60_000;
const purgeLook = 50;

export interface ClusterDecisionsParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly clusters: Clusters;
  readonly identities: Identities;
  readonly intake: Intake;
  readonly audit: Audit;
  readonly writer: Writer;
}

/** What only an operator can decide of a cluster: that a name stands for another one now, and that one is gone for good. */
export class ClusterDecisions {
  readonly #parts: ClusterDecisionsParts;

  constructor(parts: ClusterDecisionsParts) {
    this.#parts = parts;
  }

  /** Takes the identity with which the cluster of this name answers now; relabels upstreams and writes no route. */
  async accept(name: string): Promise<Decision> {
    const { clusters, identities, intake, log } = this.#parts;
    const configured = clusters.lookUp(name);
    if (configured.is === "unknown") return no(409, whyNotKnown(name, configured));
    if (configured.is === "absent")
      return no(404, `no cluster ${name} is watched; add it to the configuration first`);
    let uid: string;
    try {
      uid = await clusters.identityOf(configured.cluster);
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      return no(502, `who cluster ${name} is cannot be told: ${error.message}`);
    }
    const twin = identities.twinOf(name, uid);
    if (twin !== undefined)
      return no(409, `what answers as ${name} is the cluster that is watched as ${twin}`);
    const stale = await this.#labelledOtherwise(name, uid);
    if (stale === undefined) return no(502, `APISIX cannot be read: ${this.#parts.audit.trouble ?? ""}`);
    const was = identities.known(name);
    // At once: a session that begins meanwhile is believed, and forgets what was heard before it.
    if (identities.accept(name, uid)) intake.hide(name);
    const failed = await this.#relabel(stale, name, uid);
    const relabelled = stale.length - failed;
    // Also where some could not be relabelled: to who asks again the identity is in use already.
    if (was !== uid || identities.uidOf(name) !== uid) {
      log.info({ cluster: name, uid, was, relabelled, failed }, "the identity of a cluster is accepted");
      intake.hide(name);
      clusters.restart(name);
    }
    if (failed > 0) {
      const left = `${failed} of ${stale.length} upstreams could not be relabelled`;
      return no(502, `${left}; the new identity is in use until the next restart: ask again`);
    }
    return { ok: true, cluster: name, uid, was: was ?? null, relabelled };
  }

  /**
   * Everything that stands for the cluster goes, unguarded, and its part of fleet groups; it must not be there any more.
   * `isErrand`: nothing goes on after the answer, which waits as long as something goes within the patience; what holds the
   * Lease for this alone must end, for what APISIX refuses to delete may stay for ever.
   */
  async purge(name: string, patience = purgePatience, isErrand = false): Promise<Decision> {
    const { clusters, identities, intake, audit, writer, log } = this.#parts;
    const { is } = clusters.lookUp(name);
    const why = await this.#whyNotGone(name);
    if (why !== undefined) return no(409, why);
    if ((await audit.run()) === undefined) return no(502, `APISIX cannot be read: ${audit.trouble ?? ""}`);
    const found = this.#partsOf(name);
    const groups = found.length;
    if (groups === 0) return no(404, `nothing of a cluster ${name} stands`);
    if (clusters.lookUp(name).is !== is)
      return no(409, `which clusters are configured has changed meanwhile, ${name} among them: ask again`);
    if (!intake.purge(name))
      return no(409, `cluster ${name} is seen: take it out of the configuration first`);
    const parts = found.filter(({ members }) => members.some(([cluster]) => cluster !== name)).length;
    const configured = is === "watched";
    const returns = "; it returns with its routes unless it is taken out of the configuration";
    log.info({ cluster: name, groups, parts, configured }, `a cluster is purged${configured ? returns : ""}`);
    const left = await this.#whatIsLeft(name, patience, isErrand);
    // One that has come back meanwhile has the name.
    if (left === 0 && !intake.isSeen(name)) identities.forget(name);
    const paused = left > 0 && writer.pause.isOn ? { paused: true as const } : {};
    const ended = left > 0 && isErrand ? { ended: true as const } : {};
    return { ok: true, cluster: name, groups, left, parts, configured, ...paused, ...ended };
  }

  /** Of what a purge takes away, once the patience is over; where `isErrand`, that counts from when something went last. */
  async #whatIsLeft(name: string, patience: number, isErrand: boolean): Promise<number> {
    const { clock, writer } = this.#parts;
    let until = clock.now() + patience;
    let before = Infinity;
    while (true) {
      const left = this.#partsOf(name);
      const stands = left.reduce((sum, { route, upstream }) => sum + (route ? 1 : 0) + (upstream ? 1 : 0), 0);
      if (isErrand && stands < before) until = clock.now() + patience;
      before = stands;
      if (left.length === 0 || writer.pause.isOn || clock.now() >= until) return left.length;
      await new Promise<void>((resolve) => clock.after(purgeLook, resolve));
    }
  }

  /** Why the cluster cannot be purged: it is in the configuration, and answers; or it may be. */
  async #whyNotGone(name: string): Promise<string | undefined> {
    const { clusters } = this.#parts;
    const configured = clusters.lookUp(name);
    if (configured.is === "unknown") return whyNotKnown(name, configured);
    if (configured.is === "absent") return undefined;
    try {
      await clusters.identityOf(configured.cluster);
    } catch (error) {
      if (!(error instanceof TranslatorError)) throw error;
      return undefined;
    }
    return `cluster ${name} is in the configuration, and answers: take it out first, or its objects would come back`;
  }

  /** Groups of which something stands for the cluster, fleet groups with a part of it among them. */
  #partsOf(name: string): GroupRecord[] {
    return [...this.#parts.writer.records.ofCluster(name)].filter(mayStand);
  }

  async #labelledOtherwise(name: string, uid: string): Promise<string[] | undefined> {
    const { audit } = this.#parts;
    const found = await audit.look();
    if (found === undefined) return undefined;
    return [...found.snapshot.owned].flatMap(([id, { upstream }]) =>
      upstream?.members.some(([cluster, member]) => cluster === name && member !== uid) === true ? [id] : [],
    );
  }

  /** How many could not be written. */
  async #relabel(ids: readonly string[], name: string, uid: string): Promise<number> {
    const { writer } = this.#parts;
    const ends = await Promise.all(
      ids.map((id) => {
        const record = writer.records.get(id);
        if (record === undefined) return "done";
        return writer.requests.relabelUpstream(record, `${memberLabelPrefix}${name}`, uid);
      }),
    );
    return ends.filter((end) => end !== "done").length;
  }
}

function no(status: number, error: string): Decision {
  return { ok: false, status, error };
}
