import type { KubeRequest } from "../../src/watch/transport.ts";
import { emptiesWhatLeaves } from "./plant-parts.ts";
import type { PlantedBug } from "./plants.ts";

/** Bugs in what is believed of clusters: who they are, whether they are configured, seen, or gone for good. */
export const clusterPlants: readonly PlantedBug[] = [
  {
    name: "whoever answers under a name is believed",
    breaks: [2, "guard"],
    from: 18,
    controller: ({ identities }) => {
      identities.refusal = () => undefined;
    },
  },
  {
    name: "a cluster that leaves the configuration counts as empty",
    breaks: [2, "guard"],
    from: 18,
    controller: emptiesWhatLeaves,
  },
  {
    name: "a changed configuration reaches no shard",
    breaks: [2, 5],
    from: 2,
    controller: ({ shards }) => {
      shards.configure = () => {};
    },
  },
  {
    name: "nobody is told that a cluster is out of sight",
    breaks: [2],
    from: 19,
    controller: ({ intake, writer }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        if (event.type !== "degraded" || !writer.isAtWork) take(event);
      };
    },
  },
  {
    name: "a purge reaches no shard",
    breaks: [5],
    from: 5,
    controller: ({ shards }) => {
      shards.purge = () => {};
    },
  },
  {
    name: "credentials that change under their path are not noticed",
    breaks: [5],
    from: 2,
    parts: (parts) => ({
      ...parts,
      connect: async (cluster) => {
        const connection = await parts.connect(cluster);
        return Object.assign((request: KubeRequest) => connection(request), {
          close: () => connection.close(),
        });
      },
    }),
  },
];
