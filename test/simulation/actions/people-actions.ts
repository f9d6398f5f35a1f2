import type { AdminEntry } from "../../../src/sim/admin/admin-store.ts";
import type { Body } from "../oracle/ownership.ts";
import type { SeededRandom } from "../seeded-random.ts";
import type { Action, ActionRow } from "./action.ts";

/** What humans and strangers do at the Admin API. */

const hosts = ["a.example.com", "b.example.com", "c.example.com", "d.example.com"];

function editable({ value }: AdminEntry): Record<string, unknown> {
  const { create_time: _created, update_time: _updated, ...body } = value as Body;
  return body;
}

function editOurs(
  collection: "routes" | "upstreams",
  draw: (body: Record<string, unknown>, random: SeededRandom) => readonly [string, Body],
): Action {
  return (world, random) => {
    const found = random.maybe(world.gateway.owned(collection));
    if (found === undefined) return undefined;
    const [what, body] = draw(editable(found), random);
    const status = world.gateway.edit("PUT", collection, found.id, body);
    return `a human edits ${collection}/${found.id}: ${what} (${status})`;
  };
}

const editRoute = editOurs("routes", (body, random) =>
  random.pick<readonly [string, Body]>([
    ["priority", { ...body, priority: 77 }],
    ["hosts", { ...body, hosts: [random.pick(hosts)] }],
    ["a plugin", { ...body, plugins: { cors: {} } }],
    ["status 0", { ...body, status: 0 }],
  ]),
);

const editUpstream = editOurs("upstreams", (body, random) =>
  random.pick<readonly [string, Body]>([
    ["no nodes", { ...body, nodes: [] }],
    ["a node more", { ...body, nodes: [{ host: "192.0.2.9", port: 80, weight: 1 }] }],
    ["retries", { ...body, retries: 9 }],
  ]),
);

const takeAway: Action = (world, random) => {
  const collection = random.pick(["routes", "upstreams"] as const);
  const found = random.maybe(world.gateway.owned(collection));
  if (found === undefined) return undefined;
  const { labels: _labels, ...body } = editable(found);
  world.gateway.edit("PUT", collection, found.id, { ...body, labels: { owner: "a-human" } });
  return `a human takes ${collection}/${found.id} out of our hands`;
};

const deleteOurs: Action = (world, random) => {
  const collection = random.pick(["routes", "upstreams"] as const);
  const found = random.maybe(world.gateway.owned(collection));
  if (found === undefined) return undefined;
  world.gateway.edit("DELETE", collection, found.id);
  return `a human deletes ${collection}/${found.id}`;
};

const addStranger: Action = (world, random) => {
  const number = random.int(5);
  const host = random.pick(hosts);
  const isByService = random.chance(0.3);
  if (isByService) world.gateway.edit("PUT", "services", `svc-${host}`, { hosts: [host] });
  const status = world.gateway.edit("PUT", "routes", `stranger-${number}`, {
    uri: random.pick(["/*", "/shop/*", "/api"]),
    ...(isByService ? { service_id: `svc-${host}` } : { host }),
    ...(random.chance(0.2) ? { status: 0 } : {}),
    upstream: { type: "roundrobin", nodes: [{ host: "192.0.2.1", port: 80, weight: 1 }] },
  });
  return `a stranger writes routes/stranger-${number} on ${host} (${status})`;
};

const removeStranger: Action = (world, random) => {
  const strangers = world.admin.store.list("routes").filter(({ id }) => id.startsWith("stranger-"));
  const found = random.maybe(strangers);
  if (found === undefined) return undefined;
  world.gateway.edit("DELETE", "routes", found.id);
  return `a stranger deletes routes/${found.id}`;
};

/** A foreign object on an id that a group of ours has or will have. */
const squat: Action = (world, random) => {
  const cluster = random.pick([...world.clusters.keys()]);
  const id = random.maybe([...world.history.latest(cluster).groups.keys()]);
  if (id === undefined || world.admin.store.get("upstreams", id) !== undefined) return undefined;
  world.gateway.edit("PUT", "upstreams", id, {
    type: "roundrobin",
    nodes: [{ host: "192.0.2.2", port: 80, weight: 1 }],
  });
  return `a stranger writes upstreams/${id}`;
};

export const peopleActions = {
  editRoute: { weight: 3, run: editRoute },
  editUpstream: { weight: 3, run: editUpstream },
  takeAway: { weight: 2, run: takeAway },
  deleteOurs: { weight: 3, run: deleteOurs },
  addStranger: { weight: 4, run: addStranger },
  removeStranger: { weight: 2, run: removeStranger },
  squat: { weight: 1, run: squat },
} as const satisfies Readonly<Record<string, ActionRow>>;
