import type { SeededRandom } from "../seeded-random.ts";

/** What users write into annotations in the simulation. The oracle reads exactly this vocabulary. */

export type Entry = Readonly<Record<string, unknown>>;

/** Few, so that conflicts are common. */
const hosts = ["a.example.com", "b.example.com", "c.example.com", "D.Example.com", "*.e.example.com"];
const uris = ["/*", "/shop/*", "/api"];

function drawEntry(random: SeededRandom, name: string): Entry {
  return {
    name,
    port: random.pick([8080, 8080, 9090, "http"]),
    ...drawHosts(random),
    ...(random.chance(0.3) ? { uri: random.pick(uris) } : {}),
    ...(random.chance(0.2) ? { priority: random.int(3) } : {}),
    ...(random.chance(0.1) ? { publishNotReady: true } : {}),
    ...(random.chance(0.1) ? { retries: random.int(4) } : {}),
    ...(random.chance(0.08) ? { plugins: { cors: {} } } : {}),
    ...(random.chance(0.15) ? { share: "fleet" } : {}),
  };
}

function drawHosts(random: SeededRandom): Entry {
  const sort = random.next();
  // Without a host the default's, which nobody else has.
  if (sort < 0.35) return {};
  if (sort < 0.8) return { host: random.pick(hosts) };
  return { hosts: random.some(hosts, 2) };
}

/** The annotation of one object: one entry, sometimes two. */
export function drawEntries(random: SeededRandom): Entry[] {
  const first = drawEntry(random, "web");
  return random.chance(0.2) ? [first, drawEntry(random, "admin")] : [first];
}

/** Whoever changes an annotation: returns its new text, and what it is. */
export type Edit = (entries: readonly Entry[], random: SeededRandom) => readonly [what: string, text: string];

export const edits: Readonly<Record<string, { readonly weight: number; readonly run: Edit }>> = {
  hosts: {
    weight: 6,
    run: (entries, random) => {
      const [{ host: _host, hosts: _hosts, ...first } = {}, ...others] = entries;
      return ["other hosts", JSON.stringify([{ ...first, ...drawHosts(random) }, ...others])];
    },
  },
  rename: {
    weight: 3,
    run: (entries) => {
      const [first = {}, ...others] = entries;
      const name = first["name"] === "web" ? "shop" : "web";
      return ["another route name", JSON.stringify([{ ...first, name }, ...others])];
    },
  },
  settings: {
    weight: 3,
    run: (entries, random) => {
      const [first = {}, ...others] = entries;
      const change = random.pick([
        { priority: random.int(5) },
        { port: random.pick([8080, 9090, "http"]) },
        { retries: random.int(5) },
        { publishNotReady: random.chance(0.5) },
        { methods: ["GET", "POST"] },
        { scheme: random.pick(["http", "https"]) },
      ]);
      return [`settings ${JSON.stringify(change)}`, JSON.stringify([{ ...first, ...change }, ...others])];
    },
  },
  share: {
    weight: 1,
    run: ([{ share, ...first } = {}, ...others]) => [
      share === undefined ? "shared by the fleet" : "not shared by the fleet",
      JSON.stringify([share === undefined ? { ...first, share: "fleet" } : first, ...others]),
    ],
  },
  more: {
    weight: 2,
    run: (entries, random) =>
      entries.length > 1
        ? ["one entry less", JSON.stringify(entries.slice(0, 1))]
        : ["one entry more", JSON.stringify([...entries, drawEntry(random, "admin")])],
  },
  none: { weight: 1, run: () => ["no entries", "[]"] },
  unreadable: { weight: 2, run: (entries) => ["not JSON", `${JSON.stringify(entries).slice(0, -1)}`] },
  nameless: {
    weight: 1,
    run: ([{ name: _name, ...first } = {}, ...others]) => [
      "an entry without a name",
      JSON.stringify([first, ...others]),
    ],
  },
  invalid: {
    weight: 3,
    run: (entries, random) => {
      const [first = {}, ...others] = entries;
      const wrong = random.pick([
        { hots: "a.example.com" },
        { host: "a_b.example.com", hosts: undefined },
        { port: "nosuch" },
        { port: 70_000 },
      ]);
      return [`invalid ${JSON.stringify(wrong)}`, JSON.stringify([{ ...first, ...wrong }, ...others])];
    },
  },
  forbidden: {
    weight: 1,
    run: ([first = {}, ...others]) => [
      "a plugin that is not on the list",
      JSON.stringify([{ ...first, plugins: { "serverless-pre-function": {} } }, ...others]),
    ],
  },
  refused: {
    weight: 1,
    run: ([first = {}, ...others]) => [
      "a plugin that APISIX refuses",
      JSON.stringify([{ ...first, plugins: { "limit-count": { count: -1, time_window: 60 } } }, ...others]),
    ],
  },
};

/** The entries of an annotation, mended where it cannot be read. */
export function entriesOf(text: string | undefined, random: SeededRandom): readonly Entry[] {
  let value: unknown;
  try {
    value = JSON.parse(text ?? "[]");
  } catch {
    return drawEntries(random);
  }
  const entries = Array.isArray(value) ? (value as Entry[]) : [];
  return entries.length > 0 && entries.every(({ name }) => typeof name === "string")
    ? entries
    : drawEntries(random);
}
