import type { ForeignRoute, Intruder } from "../../src/claims/claim.ts";
import { explainTarget } from "../../src/observe/explain-target.ts";
import type { Explanation } from "../../src/observe/explanation.ts";
import { parseTarget } from "../../src/observe/target.ts";
import type { Explained, ExplainQuery } from "../../src/shard/protocol.ts";
import type { GroupRecord } from "../../src/write/group-record.ts";
import type { Configured } from "../../src/watched.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { facts, id, identity, live, record, standing, wall } from "./facts.ts";

/** What is declared and known; all of it absent: a leader of nothing that sees every cluster. */
interface World {
  readonly records?: readonly GroupRecord[];
  readonly explained?: readonly Explained[];
  readonly foreign?: readonly ForeignRoute[];
  readonly intruders?: readonly Intruder[];
  readonly facts?: Parameters<typeof facts>[0];
  /** Cluster → why it is not seen. */
  readonly unseen?: Readonly<Record<string, string>>;
  /** Why there may be clusters besides `east` and `west`. */
  readonly mayBeMore?: string;
  /** Whether the object that is asked for has the annotation. */
  readonly annotated?: boolean;
}

/** What a shard says of the Pod `web-1`. */
export const explained: Explained = {
  ...{ cluster: "east", kind: "pod", namespace: "shop", name: "web-1", route: "web" },
  ...{ state: "Valid", reason: "", hosts: ["a.example.com"], uris: ["/*"], id, nodes: 1 },
};

const watched: Configured = {
  is: "watched",
  cluster: {
    ...{ name: "", kubeconfig: undefined, context: undefined, inCluster: true, namespaces: [] },
    ...({ addressFamily: "IPv4", weight: 100, sliceSelector: "enabled" } as const),
  },
};

const besides = ({ mayBeMore: why }: World): Configured =>
  why === undefined ? { is: "absent" } : { is: "unknown", why };

/** Answers as shards do: by object, by ids, or all that have a problem. */
function shards(all: readonly Explained[], asked: ExplainQuery[]) {
  return (query: ExplainQuery): Promise<readonly Explained[]> => {
    asked.push(query);
    const fits = (each: Explained): boolean => {
      if (query.by === "ids") return query.ids.includes(each.id);
      if (query.by === "problems") return each.state !== "Valid";
      const { cluster, kind, namespace, name } = query;
      return (
        [cluster, kind, namespace, name].join() ===
        [each.cluster, each.kind, each.namespace, each.name].join()
      );
    };
    return Promise.resolve(all.filter(fits));
  };
}

/** What a target is answered, and what shards were asked for that. */
export async function ask(text: string, world: World): Promise<Explanation & { asked: ExplainQuery[] }> {
  const target = parseTarget(text);
  if (!target.ok) throw new Error(target.message);
  const asked: ExplainQuery[] = [];
  const clock = new VirtualClock();
  const all = world.records ?? [];
  const answer = explainTarget(target.target, {
    clock,
    records: {
      get: (wanted) => all.find((each) => each.id === wanted),
      all: () => all,
      ofCluster: (cluster) => all.filter((each) => each.identity.cluster === cluster),
    },
    facts: facts(world.facts),
    explain: shards(world.explained ?? [], asked),
    foreign: () => world.foreign ?? [],
    intruder: (id) => world.intruders?.find(({ ours }) => ours === id),
    clusters: () => ["east", "west"],
    lookUp: (name) => (["east", "west"].includes(name) ? watched : besides(world)),
    whyClustersUnknown: () => world.mayBeMore,
    annotated: () => world.annotated,
    whyUnseen: (cluster) => world.unseen?.[cluster],
  });
  await clock.advance(0);
  return { ...(await answer), asked };
}

/** The record of `explained`'s group, written, with its claim. */
export const written = record(live(), {
  ...standing,
  lastWrite: { at: wall, resource: "route", status: 201 },
  claim: {
    id,
    identity,
    age: { created: 1, cluster: "", namespace: "", name: "" },
    pairs: ["a.example.com /*"],
    inherits: false,
    dirty: false,
  },
});
