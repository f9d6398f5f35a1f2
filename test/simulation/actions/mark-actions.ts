import { entriesOf } from "./declarations.ts";
import type { Action, ActionRow } from "./action.ts";
import { declare, editablePods, routes } from "./pods.ts";

/** What says whose something is, taken away by halves; and what is in doubt twice. */

const ownership = ["managed-by", "translator/instance"] as const;

/** One of the two labels that are the mark of ownership is another one, or gone. */
const halfUnmark: Action = (world, random) => {
  const collection = random.pick(["routes", "upstreams"] as const);
  const found = random.maybe(world.gateway.owned(collection));
  if (found === undefined) return undefined;
  const { create_time: _created, update_time: _updated, ...body } = found.value;
  const label = random.pick(ownership);
  const { [label]: _old, ...others } = body["labels"] as Readonly<Record<string, string>>;
  const labels = random.chance(0.5) ? others : { ...others, [label]: "another" };
  world.gateway.edit("PUT", collection, found.id, { ...body, labels });
  return `a human takes ${label} from ${collection}/${found.id}`;
};

const contestedHosts = ["v.example.com", "w.example.com"];

/**
 * Who asks for a host is not told whether it has it, nor then whether its upstream stands; asks for another one; and
 * somebody else asks for the first.
 */
const contestInDoubt: Action = (world, random) => {
  const [one, other] = random.some(editablePods(world), 2);
  if (one === undefined || other === undefined) return undefined;
  const { timeout } = world.config.gateway;
  const [host = "", another] = random.some(contestedHosts, 2);
  const entry = (asked: string | undefined, retries: number): string => {
    const [first] = entriesOf(one.object.metadata.annotations?.[routes], random);
    return JSON.stringify([{ name: first?.["name"] ?? "web", port: 8080, host: asked, retries }]);
  };
  const { faults } = world.admin;
  const isLate = { kind: "delay", ms: [timeout + 2000, timeout + 8000], when: "before" } as const;
  faults.add({ fault: isLate, methods: ["PUT"], resource: "routes", times: 1 + random.int(2) });
  declare(world, one, entry(host, 2));
  const asksAgain = timeout + random.between(100, 1500);
  world.later(asksAgain, () => {
    faults.add({
      fault: { kind: "reset", when: random.pick(["before", "after"]) },
      ...{ methods: ["PUT"], resource: "upstreams", times: 1 },
    });
    declare(world, one, entry(another, 3));
  });
  world.later(asksAgain + random.between(100, 2000), () => declare(world, other, entry(host, 2)));
  return `${one.key} and ${other.key} contend for ${host}, and no answer comes, twice`;
};

export const markActions = {
  halfUnmark: { weight: 3, run: halfUnmark },
  contestInDoubt: { weight: 2, run: contestInDoubt },
} as const satisfies Readonly<Record<string, ActionRow>>;
