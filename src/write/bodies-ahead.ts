import type { Resource, Standing } from "../apisix/types.ts";
import type { Pair } from "../declare/pair.ts";
import type { Change } from "../shard/change.ts";
import type { BuiltBody } from "../shard/protocol.ts";
import type { GroupRecord } from "./group-record.ts";
import type { ShardPort, Wanted } from "./shard-port.ts";

/** What was known of a group when its body was built: the body counts as long as none of this has changed. */
interface Basis {
  readonly change: Change | undefined;
  readonly standing: Standing | undefined;
  readonly pairs: readonly Pair[] | undefined;
}

interface Ahead extends Basis {
  readonly wanted: Wanted | Promise<Wanted>;
}

/**
 * Bodies that are at hand before their turn: asked for, many at once, for waking another thread costs more than a body; or
 * sent unasked with the change that they come of, while requests are free.
 *
 * Guarantees: a body is used only if nothing has been said of its group, and nothing of it has come to stand, since it was
 * asked for or sent: what comes meanwhile is in the next one. At most `limit` are held; the oldest gives way and is asked for
 * again in its turn.
 */
export class BodiesAhead {
  readonly #shards: Pick<ShardPort, "want">;
  readonly #limit: number;
  readonly #held = new Map<string, Ahead>();

  constructor(shards: Pick<ShardPort, "want">, limit: number) {
    this.#shards = shards;
    this.#limit = limit;
  }

  get size(): number {
    return this.#held.size;
  }

  ask(record: GroupRecord, resource: Resource, pairs?: readonly Pair[]): void {
    const key = keyOf(record.id, resource);
    const held = this.#held.get(key);
    if (held !== undefined && isStill(held, record, resource, pairs)) return;
    this.#hold(key, { ...basisOf(record, resource, pairs), wanted: this.#want(record, resource, pairs) });
  }

  /** Something was said of the group, perhaps with the upstream's body that comes of it. */
  heard(record: GroupRecord, change: Change, body: BuiltBody | undefined): void {
    this.#held.delete(keyOf(record.id, "upstream"));
    this.#held.delete(keyOf(record.id, "route"));
    if (body?.resource !== "upstream") return;
    const basis = { change, standing: record.upstream, pairs: undefined };
    this.#hold(keyOf(record.id, "upstream"), { ...basis, wanted: body });
  }

  /** The body as its shard builds it now, or built it since anything last changed. */
  take(record: GroupRecord, resource: Resource, pairs?: readonly Pair[]): Wanted | Promise<Wanted> {
    const key = keyOf(record.id, resource);
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held !== undefined && isStill(held, record, resource, pairs)
      ? held.wanted
      : this.#want(record, resource, pairs);
  }

  /** Nothing can be sent for a while: keys wait, bodies do not. */
  clear(): void {
    this.#held.clear();
  }

  #hold(key: string, ahead: Ahead): void {
    this.#held.delete(key);
    if (this.#held.size >= this.#limit)
      for (const oldest of this.#held.keys()) {
        this.#held.delete(oldest);
        break;
      }
    this.#held.set(key, ahead);
  }

  #want(
    { identity, id }: GroupRecord,
    resource: Resource,
    pairs: readonly Pair[] | undefined,
  ): Promise<Wanted> {
    return this.#shards.want(identity, id, resource, pairs);
  }
}

function keyOf(id: string, resource: Resource): string {
  return `${resource} ${id}`;
}

function basisOf(record: GroupRecord, resource: Resource, pairs: readonly Pair[] | undefined): Basis {
  return { change: record.change, standing: record[resource], pairs };
}

function isStill(
  { change, standing, pairs }: Basis,
  record: GroupRecord,
  resource: Resource,
  wanted: readonly Pair[] | undefined,
): boolean {
  return change === record.change && standing === record[resource] && pairs === wanted;
}
