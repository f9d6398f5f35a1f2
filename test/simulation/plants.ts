import type { Invariant } from "./checks/check.ts";
import {
  atAdmin,
  blindToLabels,
  freesTooEarly,
  stumbles,
  unknownIsEmpty,
  withInlineNodes,
} from "./plant-parts.ts";
import type { Plant } from "./plant.ts";
import { clusterPlants } from "./cluster-plants.ts";
import { servicePlants } from "./service-plants.ts";

/** Bugs that the simulation must find, by the invariant that each breaks. */
export interface PlantedBug extends Plant {
  readonly breaks: readonly Invariant[];
  /** Where the search starts: near a seed that found it when this was written, for the sake of time. */
  readonly from: number;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "ownership labels are not looked at",
    breaks: [1, 5],
    from: 14,
    parts: atAdmin(blindToLabels),
  },
  {
    name: "nobody looks before a DELETE",
    breaks: [1],
    from: 14,
    controller: ({ writer }) => {
      const { remove } = writer.requests;
      writer.requests.remove = (record, what, isStill) => {
        record.lookedAt = Number.POSITIVE_INFINITY;
        return remove.call(writer.requests, record, what, isStill);
      };
    },
  },
  {
    name: "a list that fails is taken for an empty one",
    breaks: [2, "guard"],
    from: 19,
    parts: (parts) => ({
      ...parts,
      connect: async (cluster) => unknownIsEmpty(await parts.connect(cluster)),
    }),
  },
  {
    name: "a cluster counts as listed as soon as it is reached",
    breaks: [2, "guard"],
    from: 11,
    controller: ({ intake, writer }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        take(event);
        if (event.type === "identity" && writer.isAtWork) take({ ...event, type: "synced", kind: "pods" });
      };
    },
  },
  {
    name: "an unanswered write is believed not to have been applied",
    breaks: [3, 5],
    from: 18,
    controller: ({ writer }) => {
      writer.standings.unknown = (record, resource) => {
        if (resource === "upstream") return;
        record.uncertain = undefined;
        writer.claims.stands(record.id, record.identity, record.route?.shape ?? null);
      };
    },
  },
  {
    name: "foreign routes are not heard of",
    breaks: [3, 5],
    from: 5,
    controller: ({ writer }) => {
      writer.claims.hearForeign = function* () {};
    },
  },
  {
    name: "a pair is free as soon as it is not wanted any more",
    breaks: [3],
    from: 1,
    controller: ({ writer }) => freesTooEarly(writer),
  },
  {
    name: "one word of a shard in twenty is lost",
    breaks: [5, 10],
    from: 1,
    controller: ({ writer: { words } }) => {
      const take = words.take.bind(words);
      let count = 0;
      words.take = (change) => {
        count++;
        if (count % 20 !== 0) take(change);
      };
    },
  },
  {
    name: "the audit restores nothing",
    breaks: [5],
    from: 10,
    controller: ({ writer }) => {
      const { looked } = writer.standings;
      let isFirst = true;
      writer.standings.looked = (...args) => {
        if (isFirst) looked.apply(writer.standings, args);
      };
      const start = writer.start.bind(writer);
      writer.start = () => {
        isFirst = false;
        start();
      };
    },
  },
  {
    name: "what stands is not told to the shards",
    breaks: [5, 6],
    from: 1,
    controller: ({ shards }) => {
      shards.known = () => {};
    },
  },
  {
    name: "routes are written first",
    breaks: [8],
    from: 1,
    controller: ({ writer }) => {
      const { writeUpstream } = writer.requests;
      writer.requests.writeUpstream = (record, lane) => {
        if (record.upstream !== undefined || lane === "drip")
          return writeUpstream.call(writer.requests, record, lane);
        record.upstream = { digest: "0" };
        return Promise.resolve("done");
      };
    },
  },
  {
    name: "upstreams are deleted first",
    breaks: [8],
    from: 1,
    parts: atAdmin((send) => async (request) => {
      const [, , , collection, id] = request.path.split("/");
      if (request.method === "DELETE" && collection === "routes")
        await send({ ...request, path: `/apisix/admin/upstreams/${id}` });
      return send(request);
    }),
  },
  {
    name: "writes go on after the write deadline",
    breaks: [4],
    from: 115,
    fence: () => ({ mayWrite: () => true, forfeit: () => {} }),
  },
  {
    name: "the write deadline does not count with the time that a request takes",
    breaks: [4],
    from: 115,
    fence: (fence) => ({
      mayWrite: () => fence.mayWrite(0),
      forfeit: (reason) => fence.forfeit(reason),
    }),
  },
  {
    name: "the guard lets everything go",
    breaks: ["guard"],
    from: 2,
    controller: ({ writer }) => {
      writer.guard.judge = () => "go";
      writer.guard.ask = () => "go";
      writer.guard.hasPassed = () => true;
    },
  },
  {
    name: "nodes stand in routes too",
    breaks: [7],
    from: 1,
    parts: atAdmin(withInlineNodes),
  },
  {
    name: "an annotation that cannot be read keeps its whole cluster from being heard",
    breaks: [2, 5],
    from: 18,
    controller: ({ intake }) => stumbles(intake),
  },
  {
    name: "groups that are gone are remembered for ever",
    breaks: [10],
    from: 1,
    controller: ({ writer }) => {
      writer.records.delete = () => {};
    },
  },
  {
    name: "a pause stops bursts only",
    breaks: ["pause"],
    from: 2,
    controller: ({ writer }) => {
      Object.defineProperty(writer, "isAtWork", { get: () => true });
    },
  },
  {
    name: "what an unseen cluster gave to a fleet group is forgotten",
    breaks: [2],
    from: 11,
    controller: ({ shards }) => {
      const kept = shards.kept.bind(shards);
      shards.kept = (identity, id, upstream, route) =>
        kept(
          identity,
          id,
          identity.share === "fleet" && upstream ? { ...upstream, nodes: [] } : upstream,
          route,
        );
    },
  },
  ...clusterPlants,
  ...servicePlants,
];
