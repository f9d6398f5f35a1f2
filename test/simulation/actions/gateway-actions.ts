import type { AdminFault, FaultRule } from "../../../src/sim/admin/admin-faults.ts";
import { wrongTypes } from "../../../src/sim/admin/spoil-reply.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { World } from "../world.ts";
import type { Action, ActionRow } from "./action.ts";
import { declare, editablePods } from "./pods.ts";

/** Few besides ask for these. */
const contestedHosts = ["x.example.com", "y.example.com"];

const html = "<html><body><h1>502 Bad Gateway</h1></body></html>";

/** Something stands between and answers. */
function replies(status: number, body: string, contentType: string): AdminFault {
  return { kind: "reply", reply: { status, headers: { "content-type": contentType }, body } };
}

function drawFault(world: World, random: SeededRandom): readonly [string, AdminFault] {
  const { timeout } = world.config.gateway;
  return random.pick<readonly [string, AdminFault]>([
    ["reset before it is applied", { kind: "reset", when: "before" }],
    ["reset after it is applied", { kind: "reset", when: "after" }],
    ["429", replies(429, "slow down", "text/plain")],
    ["HTML with 502", replies(502, html, "text/html")],
    ["HTML with 200", replies(200, html, "text/html")],
    ["401", { kind: "wrong-key" }],
    ["answered late", { kind: "delay", ms: [200, timeout * 1.5], when: "after" }],
    // What the client has given up is applied before answers can have been normal for 10 s, also where several rules
    // strike one request: the longest delay counts.
    ["applied late", { kind: "delay", ms: [timeout * 0.8, timeout + 8000], when: "before" }],
    [
      "half of the answer",
      { kind: "body", keep: random.next(), ending: random.pick(["end", "reset", "stall"]) },
    ],
    ["references seen late", { kind: "stale-references", lag: random.int(500) }],
  ]);
}

/** Faults on the next requests of some kind. */
const spoil: Action = (world, random) => {
  const [what, fault] = drawFault(world, random);
  const methods = random.pick([["PUT"], ["DELETE"], ["PUT", "DELETE"], ["GET"], ["GET", "PUT", "DELETE"]]);
  const times = 1 + random.int(5);
  const rule: FaultRule = {
    ...{ fault, methods, times },
    ...(random.chance(0.3) ? { resource: random.pick(["routes", "upstreams"]) } : {}),
  };
  world.admin.faults.add(rule);
  return `apisix: the next ${times} ${methods.join("/")} ${rule.resource ?? ""}: ${what}`;
};

/** Writes of routes are applied, and nobody is told: now, or after they were given up. */
const loseAnswers: Action = (world, random) => {
  const { timeout } = world.config.gateway;
  const isLate = random.chance(0.5);
  const fault: AdminFault = isLate
    ? { kind: "delay", ms: [timeout, timeout + 8000], when: "before" }
    : { kind: "reset", when: "after" };
  const times = 1 + random.int(6);
  world.admin.faults.add({ fault, methods: ["PUT"], resource: "routes", times });
  return `apisix: the next ${times} PUT routes are applied ${isLate ? "late" : "without an answer"}`;
};

/** Who asks for a host is not told that it has it, asks for another one, and somebody else asks for the first. */
const contest: Action = (world, random) => {
  const [one, other] = random.some(editablePods(world), 2);
  if (one === undefined || other === undefined) return undefined;
  loseAnswers(world, random);
  const host = random.pick(contestedHosts);
  const entry = (asked: string): string => JSON.stringify([{ name: "web", port: 8080, host: asked }]);
  declare(world, one, entry(host));
  world.later(random.between(100, 3000), () => declare(world, one, entry(random.pick(contestedHosts))));
  world.later(random.between(100, 4000), () => declare(world, other, entry(host)));
  return `${one.key} and ${other.key} contend for ${host}, and no answer comes`;
};

const spoilLists: Action = (world, random) => {
  const what = random.pick(wrongTypes);
  const fault: AdminFault = random.chance(0.5)
    ? { kind: "wrong-types", what }
    : { kind: "body", keep: random.next(), ending: random.pick(["end", "reset", "stall"]) };
  world.admin.faults.add({ fault, methods: ["GET"], times: 1 + random.int(4) });
  return `apisix: reads are spoiled: ${fault.kind === "body" ? "cut off" : what}`;
};

function etcd(state: "down" | "hung", longest: number): Action {
  return (world, random) => {
    if (world.admin.faults.etcd !== "up") return undefined;
    const ms = random.between(500, longest);
    world.admin.faults.setEtcd(state);
    world.later(ms, () => {
      world.admin.faults.setEtcd("up");
      world.trace.say("apisix", "etcd is back");
    });
    return `apisix: etcd is ${state} for ${(ms / 1000).toFixed(1)} s`;
  };
}

const slow: Action = (world, random) => {
  const ms = random.between(50, 900);
  const end = world.admin.faults.add({
    fault: { kind: "delay", ms, when: random.pick(["before", "after"]) },
  });
  world.later(random.between(3000, 20_000), end);
  return `apisix: every answer takes ${ms.toFixed(0)} ms`;
};

export const gatewayActions = {
  spoil: { weight: 7, run: spoil },
  loseAnswers: { weight: 3, run: loseAnswers },
  contest: { weight: 2, run: contest },
  spoilLists: { weight: 2, run: spoilLists },
  etcdDown: { weight: 2, run: etcd("down", 25_000) },
  etcdHung: { weight: 2, run: etcd("hung", 25_000) },
  slow: { weight: 2, run: slow },
} as const satisfies Readonly<Record<string, ActionRow>>;
