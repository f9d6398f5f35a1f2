/** The embedded Admin API answers as a real APISIX 3.18 did. */
import { describe, expect, test } from "vitest";
import { systemClock, type Random } from "../../src/runtime.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { allowedDifferences, differencesTable, type AllowedDifference } from "./allowed-differences.ts";
import { recordedExchanges, type RecordedExchange } from "./recorded-exchanges.ts";
import { markedNames, renameExchange, shuffledLetters } from "./rename-exchanges.ts";
import { replayAtOnce, replayInOrder, type ReplayedExchange, type ReplayTarget } from "./replay-exchanges.ts";

const inOrder = ["01-crud", "02-invalid", "03-auth-method-path", "04-list-filter", "07-plugin-config-in-use"];
const seeds = [1, 2];

/** A small generator, so that a failing seed fails again. */
function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

interface Embedded extends AsyncDisposable {
  readonly server: AdminServer;
  readonly target: ReplayTarget;
}

/** The system's clock, moved forward where an exchange waits. */
async function embedded(): Promise<Embedded> {
  let ahead = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    wall: () => systemClock.wall() + ahead,
  };
  const server = await startAdminServer({ clock, etcdTimeout: 10 });
  const { url, adminKey, viewerKey } = server;
  const elapse = async (ms: number) => {
    ahead += ms;
  };
  const target = { urls: { admin: url, control: url, status: url }, adminKey, viewerKey, elapse };
  return { server, target, [Symbol.asyncDispose]: () => server.close() };
}

const used = new Set<AllowedDifference>();

/** Each difference that no row allows, as a line. */
function unexplained(replayed: readonly ReplayedExchange[]): readonly string[] {
  return replayed.flatMap(({ exchange, differences }) =>
    differences.flatMap((difference) => {
      const row = allowedDifferences.find((each) => each.matches?.(exchange, difference));
      if (row !== undefined) used.add(row);
      const { path, expected, actual } = difference;
      return row === undefined
        ? [`${exchange.name}: ${path}: ${JSON.stringify(expected)} became ${JSON.stringify(actual)}`]
        : [];
    }),
  );
}

function skipped(replayed: readonly ReplayedExchange[]): readonly string[] {
  return replayed.filter(({ answer }) => answer === undefined).map(({ exchange }) => exchange.name);
}

const notEmbedded: Readonly<Record<string, readonly string[]>> = {
  "03-auth-method-path": ["data plane port has no admin"],
};

describe.each(inOrder)("%s", (file) => {
  test("is answered as recorded", async () => {
    await using embeddedAdmin = await embedded();
    const replayed = await replayInOrder(recordedExchanges(file), embeddedAdmin.target);
    expect(unexplained(replayed)).toEqual([]);
    expect(skipped(replayed)).toEqual(notEmbedded[file] ?? []);
  });

  test.each(seeds)("is answered alike with other ids, names and values (seed %i)", async (seed) => {
    const letters = shuffledLetters(seeded(seed));
    const exchanges = recordedExchanges(file).map((exchange) => renameExchange(exchange, letters));
    await using embeddedAdmin = await embedded();
    expect(unexplained(await replayInOrder(exchanges, embeddedAdmin.target))).toEqual([]);
  });
});

const others = [
  ["upstreams/u1", { nodes: [] }],
  ["upstreams/1", { nodes: [] }],
  ["routes/r01", { uri: "/x", upstream_id: "u1" }],
  ["services/s1", { upstream_id: "u1" }],
] as const;

test.each(inOrder)("%s touches nothing of others in an APISIX that is in use", async (file) => {
  await using embeddedAdmin = await embedded();
  const { server, target } = embeddedAdmin;
  for (const [path, body] of others)
    server.admin.handle({ method: "PUT", path: `/apisix/admin/${path}`, body });
  const mark = "zq-";
  const touched = new Set<string>();
  server.admin.store.onChange(({ collection, id, after }) => {
    const { uri, uris = [uri] } = (after?.value ?? {}) as { uri?: string; uris?: (string | undefined)[] };
    const isOpen = collection === "routes" && after && !uris.every((each) => each?.startsWith(`/${mark}`));
    if (!id.startsWith(mark) || isOpen) touched.add(`${collection}/${id} ${JSON.stringify(uris)}`);
  });
  const exchanges = recordedExchanges(file).map((exchange) => renameExchange(exchange, markedNames(mark)));
  const replayed = await replayInOrder(exchanges, { ...target, mark });
  expect(unexplained(replayed)).toEqual([]);
  expect([...touched]).toEqual([]);
  const sent = replayed.filter(({ answer }) => answer !== undefined).length;
  expect(sent / replayed.length).toBeGreaterThan(0.6);
});

test("of PATCHes sent at once to one id, some win, some lose with 503, and nothing else happens", async () => {
  const [setup, ...patches] = recordedExchanges("05-concurrency");
  await using embeddedAdmin = await embedded();
  const { target } = embeddedAdmin;
  expect(setup && unexplained(await replayInOrder([setup], target))).toEqual([]);
  const statuses = (await replayAtOnce(patches, target)).map(({ answer }) => answer?.status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
});

/** Recovery takes seconds: the first request after etcd is back is still refused. */
function etcdDuring({ name }: RecordedExchange): "up" | "down" | "hung" {
  if (name.startsWith("etcd killed") || name.startsWith("etcd back")) return "down";
  return name.startsWith("etcd hung") ? "hung" : "up";
}

test("06-etcd-down is answered as recorded while etcd is broken and mended", async () => {
  await using embeddedAdmin = await embedded();
  const { server, target } = embeddedAdmin;
  const before = (exchange: RecordedExchange) => server.admin.faults.setEtcd(etcdDuring(exchange));
  const replayed = await replayInOrder(recordedExchanges("06-etcd-down"), { ...target, before });
  expect(unexplained(replayed)).toEqual([]);
});

test("the table of differences is up to date, and each recorded row was met", async () => {
  await expect(differencesTable(allowedDifferences)).toMatchFileSnapshot("DIFFERENCES.md");
  const idle = allowedDifferences.filter((row) => row.matches !== undefined && !used.has(row));
  expect(idle.map(({ about }) => about)).toEqual([]);
});
