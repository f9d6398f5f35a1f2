import type { PlantedBug } from "./plants.ts";

/** Bugs that only schedules with Services can show. */
export const servicePlants: readonly PlantedBug[] = [
  {
    name: "slices count as listed as soon as their Services are",
    breaks: [2, "guard"],
    from: 37,
    controller: ({ intake }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        take(event);
        if (event.type === "synced" && event.kind === "services") take({ ...event, kind: "endpointslices" });
      };
    },
  },
  {
    name: "slices that are deleted are not heard of",
    breaks: [5],
    from: 16,
    controller: ({ intake }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        if (event.type !== "delete" || event.kind !== "endpointslices") take(event);
      };
    },
  },
  {
    name: "Nodes that go are not heard of",
    breaks: [5],
    from: 5,
    controller: ({ intake }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        if (event.type !== "delete" || event.kind !== "nodes") take(event);
      };
    },
  },
  {
    name: "Nodes count as listed before they are",
    breaks: [2, "guard"],
    from: 28,
    controller: ({ intake }) => {
      const take = intake.take.bind(intake);
      intake.take = (event) => {
        take(event);
        if (event.type === "synced" && event.kind === "endpointslices") take({ ...event, kind: "nodes" });
      };
    },
  },
];
