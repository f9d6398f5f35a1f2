import type { Resource } from "../../src/apisix/types.ts";
import { pairsOf } from "../../src/declare/pair.ts";
import type { Change } from "../../src/shard/change.ts";
import type { BuiltBody, Known } from "../../src/shard/protocol.ts";
import type { ShardPort, Wanted } from "../../src/write/shard-port.ts";
import type { Writer } from "../../src/write/writer.ts";
import type { Recorded } from "../processes/admin-process.ts";

type Identity = Change["identity"];

interface Group {
  readonly id: string;
  readonly identity: Identity;
  readonly body: string;
  /** Writes of its upstream that are still to come. */
  left: number;
  version: number;
}

/** Shards for a writer that is to be kept busy: as soon as an upstream stands, it has changed again. */
export class EndlessShards implements ShardPort {
  readonly #groups: ReadonlyMap<string, Group>;
  #writer: Writer | undefined;
  #standing = 0;
  #left = 0;
  #done: () => void = () => {};

  constructor(upstreams: readonly Recorded[]) {
    this.#groups = new Map(
      upstreams.map(({ path, body }, index) => {
        const id = path.slice(path.lastIndexOf("/") + 1);
        const identity: Identity = {
          share: "none",
          kind: "service",
          ...{ cluster: "bench", namespace: "bench" },
          ...{ name: `svc-${index}`, route: "web" },
        };
        return [id, { id, identity, body, left: 0, version: 0 }];
      }),
    );
  }

  /** Every group is new: resolves once all stand. */
  announce(writer: Writer): Promise<void> {
    this.#writer = writer;
    const done = this.#until();
    writer.words.takeAll([...this.#groups.values()].map((group) => changeOf(group, true)));
    return done;
  }

  /** Each upstream changes so many times, each time as soon as it was written. */
  churn(times: number): Promise<void> {
    this.#left = this.#groups.size * times;
    const done = this.#until();
    for (const group of this.#groups.values()) {
      group.left = times;
      this.#change(group);
    }
    return done;
  }

  want(_identity: Identity, id: string, resource: Resource, pairs?: BuiltBody["pairs"]): Promise<Wanted> {
    const group = this.#groups.get(id);
    if (group === undefined) return Promise.resolve({ type: "stale", id, resource });
    const body = resource === "upstream" ? group.body : routeBody(group);
    const digest = `${resource}${group.version}`;
    return Promise.resolve({
      ...{ type: "body", id, resource, body, digest },
      ...(pairs === undefined ? {} : { pairs }),
    });
  }

  known({ id, upstream, route }: Known): void {
    const group = this.#groups.get(id);
    if (group === undefined) return;
    if (this.#left === 0) {
      if (upstream !== undefined && route !== undefined && ++this.#standing === this.#groups.size)
        this.#done();
      return;
    }
    if (--this.#left === 0) return this.#done();
    if (--group.left > 0) this.#change(group);
  }

  forget(): void {}

  kept(): void {}

  letGo(): void {}

  #change(group: Group): void {
    group.version++;
    this.#writer?.words.takeAll([changeOf(group, false)]);
  }

  #until(): Promise<void> {
    return new Promise((resolve) => (this.#done = resolve));
  }
}

function changeOf({ id, identity }: Group, isNew: boolean): Change {
  const { cluster, namespace, name } = identity;
  return {
    ...{ id, identity, counts: { Valid: 1 } },
    stand: {
      ...{ type: "live", age: { created: 0, cluster, namespace, name } },
      pairs: pairsOf([`${name}.bench.example.com`], ["/*"]),
      ...{ inherits: false, nodes: 1, bare: false, upstream: true, route: isNew },
    },
  };
}

function routeBody({ id, identity }: Group): string {
  return JSON.stringify({ hosts: [`${identity.name}.bench.example.com`], uris: ["/*"], upstream_id: id });
}
