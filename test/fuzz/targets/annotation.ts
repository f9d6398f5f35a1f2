import fc from "fast-check";
import { parseRoutes, validateRoutes } from "../../../src/declare/parse.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";

const wild = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    "",
    "..",
    "a".repeat(300),
    "*",
    "%2f",
    "\u0000",
    "xn--",
    "ü",
    "-",
    "_",
    "1e999",
    "__proto__",
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3, noNullPrototype: true }),
);

const host = fc.constantFrom(
  "a.example.com",
  "*.example.com",
  "Shop.Example.COM.",
  "10.0.0.1",
  "b",
  "[::1]",
  "a_b",
);
const uri = fc.constantFrom("/*", "/", "/a", "/a/*", "/a*b", "a", "/a//b", "/../x", "/a?b", "/ü");

/** Mostly right: a field in some twenty is anything. */
const or = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary: right }, { weight: 1, arbitrary: wild });

const fields: Record<string, fc.Arbitrary<unknown>> = {
  name: or(fc.constantFrom("web", "api", "a-1")),
  port: or(fc.constantFrom(80, 8080, "http", 65_535)),
  host: or(host),
  hosts: or(fc.uniqueArray(host, { minLength: 1, maxLength: 3 })),
  uri: or(uri),
  uris: or(fc.uniqueArray(uri, { minLength: 1, maxLength: 3 })),
  methods: or(fc.subarray(["GET", "POST"], { minLength: 1 })),
  priority: or(fc.integer({ min: -5, max: 5 })),
  websocket: or(fc.boolean()),
  rewrite: or(fc.constantFrom({ stripPrefix: "/a" }, { uri: "/b" }, { stripPrefix: "/" })),
  plugins: or(fc.constantFrom({}, { cors: {} }, { "limit-count": { count: 1 } })),
  scheme: or(fc.constantFrom("http", "https", "grpc", "grpcs")),
  timeout: or(fc.constant({ connect: 1, send: 2, read: 3 })),
  retries: or(fc.integer({ min: 0, max: 10 })),
  passHost: or(fc.constantFrom("pass", "node", "a.example.com")),
  loadBalancer: or(fc.constantFrom("roundrobin", { chash: { hashOn: "vars", key: "uri" } })),
  healthCheck: or(fc.constantFrom({ path: "/h" }, { path: "/h", interval: 2, healthy: 1, unhealthy: 3 })),
  share: or(fc.constantFrom("none", "cluster", "fleet")),
  via: or(fc.constantFrom("endpoint", "nodePort")),
  publishNotReady: or(fc.boolean()),
  protocol: or(fc.constant("http")),
};

const entry = fc.record(fields, { requiredKeys: ["name", "port"], noNullPrototype: true });

const input = fc.record({
  value: fc.oneof(
    { weight: 12, arbitrary: fc.array(entry, { maxLength: 4 }) },
    { weight: 2, arbitrary: entry },
    { weight: 1, arbitrary: wild },
  ),
  damage: someDamage,
  kind: fc.constantFrom("pod" as const, "service" as const),
});

/** The routes annotation: any text that a user may write. */
export const annotation = makeTarget("annotation", 30, input, ({ value, damage, kind }): Verdict => {
  const text = damaged(Buffer.from(JSON.stringify(value) ?? ""), damage).toString("utf8");
  const read = parseRoutes(text, kind);
  if (!read.readable) return { passed: false, wrong: read.problem.message === "" ? "no reason" : undefined };
  return { passed: true, wrong: wrongWith(text, read.entries, kind) };
});

function wrongWith(
  text: string,
  entries: Extract<ReturnType<typeof parseRoutes>, { readable: true }>["entries"],
  kind: "pod" | "service",
): string | undefined {
  const again = validateRoutes(JSON.parse(text), kind);
  const isValid = entries.every(({ ok }) => ok);
  if (again.ok !== isValid) return `the SDK says ${again.ok}, the translator ${isValid}`;
  const names = new Set<string>();
  for (const each of entries) {
    if (!each.ok) {
      if (each.problems.length === 0) return "Invalid without a problem";
      for (const { message } of each.problems)
        if (Buffer.byteLength(message) > 1024) return "a message longer than an Event's note";
      continue;
    }
    const { declaration } = each;
    if (names.has(declaration.name)) return `the name ${declaration.name} was accepted twice`;
    names.add(declaration.name);
    for (const given of declaration.hosts ?? [])
      if (!/^(\*\.)?[a-z0-9.:[\]-]{1,253}$/.test(given)) return `the host ${given} was accepted`;
    for (const given of declaration.uris ?? [])
      if (!given.startsWith("/") || /[\s?#%]|\/\/|\/\.\.?(\/|$)|\*./.test(given))
        return `the uri ${given} was accepted`;
  }
  return undefined;
}
