import type { AdminExchange } from "../../../src/sim/admin/admin-exchange.ts";
import { identityOf, nodesOf } from "../oracle/ownership.ts";
import type { SentRequest } from "../wire/admin-tap.ts";
import { candidatesOf } from "../wire/knowledge.ts";
import type { World } from "../world.ts";

/** From the end of a list until no body is sent any more that was built in the middle of it. */
const builtWithin = 5000;

/**
 * What one process has shown to know: whoever writes a Pod's address where it did not stand has heard of that Pod, and
 * knows nothing older of its cluster from then on.
 */
export class Shown {
  /** Cluster and id of a group → since when. */
  readonly #since = new Map<string, number>();

  /** What is known of the cluster, for the group, is not older. */
  since(cluster: string, id: string): number {
    return this.#since.get(`${cluster}/${id}`) ?? 0;
  }

  note(exchange: AdminExchange, request: SentRequest, world: World): void {
    const before = candidatesOf(request.knownUpstream);
    const [{ collection, id, after } = { collection: "", id: "" }] = exchange.changes;
    const identity = after && identityOf(world.config.instance, id, after.value);
    if (collection !== "upstreams" || before === undefined || identity?.kind !== "pod") return;
    const stood = new Set(before.flatMap((body) => nodesOf(body ?? {}).map(({ host }) => host)));
    for (const { host, metadata } of nodesOf(after?.value ?? {})) {
      const cluster = identity.cluster || (metadata?.cluster ?? "");
      const heardSince = world.history.addressSince(cluster, host);
      // In the middle of a list one object is known as it is now, and another as it was before.
      const { lists } = world.processOf(request);
      const isEven = lists.isEvenSince(cluster, "pods", request.sentAt - builtWithin);
      if (stood.has(host) || heardSince === undefined || !isEven) continue;
      const key = `${cluster}/${id}`;
      this.#since.set(key, Math.max(this.#since.get(key) ?? 0, heardSince));
    }
  }
}
