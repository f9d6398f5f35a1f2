import fc from "fast-check";
import { damaged, someDamage } from "../damage.ts";

const long = "a".repeat(5000);
const wild = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    "",
    "..",
    "a".repeat(300),
    long,
    "*",
    "%2f",
    "\u0000",
    "xn--",
    "ü",
    "-",
    "_",
    "\ud800",
    "💡",
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.integer(), { maxKeys: 3, noNullPrototype: true }),
);

/** Mostly right: a field in some twenty is `other`, or anything. */
const or = (right: fc.Arbitrary<unknown>, ...other: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 40, arbitrary: right },
    { weight: 1, arbitrary: wild },
    ...(other.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...other) }]),
  );

const label63 = "x".repeat(63);
const badHosts = [
  ...[
    "http://a.example.com",
    "a b",
    "a..b",
    "*",
    "*.*.a",
    "a*",
    "a/b",
    "a:80",
    "",
    "*.",
    "a-.b",
    "K.example.com",
  ],
  ...[
    `${label63}x.a`,
    [label63, label63, label63, label63].join("."),
    "bücher.example",
    "[::1",
    "::ffff:1.2.3",
  ],
];
const host = fc.constantFrom(
  ...["a.example.com", "*.example.com", "Shop.Example.COM.", "10.0.0.1", "b", "[::1]", "FE80:0::1"],
  `${label63}.example.com`,
);
const badUris = [
  ...[
    "a",
    "/a//b",
    "/../x",
    "/a/..",
    "/a?b",
    "/a#b",
    "/a%2f",
    "/*a",
    "/a b",
    "/\u0085",
    "/\ud800",
    `/${long}`,
    "/./*",
  ],
];
const uri = fc.constantFrom("/*", "/", "/a", "/a/*", "/a*", "/ü", "/.*", "/a/", "/..a");

const json: fc.Arbitrary<unknown> = fc.constantFrom(
  ...[1, "x", null, true, [1, [null]], { b: 1, a: { c: [] } }, -0, 1.5e300, [{ count: 2 }]],
);
const plugins = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom({}, { cors: {} }, { "limit-count": { count: 1 } }) },
  {
    weight: 2,
    arbitrary: fc.dictionary(
      fc.constantFrom("cors", "x"),
      fc.dictionary(fc.constantFrom("b", "a", "é", "💡", "\ue000"), json),
    ),
  },
  { weight: 1, arbitrary: fc.constant({ "proxy-rewrite": { uri: "/x" } }) },
);
const seconds = [0, 0.001, 3600, 3601, -1, "1"];

/** `hosts` and `uris` of so many that their pairs are at the limit, or one over it. */
const many = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

const fields: Record<string, fc.Arbitrary<unknown>> = {
  name: or(fc.constantFrom("web", "api", "a-1"), "Web", "a".repeat(64), "a.b"),
  port: or(fc.constantFrom(80, 8080, "http", 65_535), 0, 65_536, 1.5, "a".repeat(16), "1", "a--b"),
  host: or(host, ...badHosts),
  hosts: or(fc.uniqueArray(host, { minLength: 1, maxLength: 3 }), [], ["a", "A"], badHosts, many("h", 40)),
  uri: or(uri, ...badUris),
  uris: or(
    fc.uniqueArray(uri, { minLength: 1, maxLength: 3 }),
    [],
    ["/a", "/a"],
    badUris,
    many("/u", 25),
    many("/u", 26),
  ),
  methods: or(fc.subarray(["GET", "POST", "PURGE"], { minLength: 1 }), [], ["get"], ["GET", "GET"]),
  priority: or(fc.integer({ min: -5, max: 5 }), 2 ** 53, 0.5),
  websocket: or(fc.boolean(), "true"),
  rewrite: or(
    fc.constantFrom({ stripPrefix: "/a" }, { stripPrefix: "/a/" }, { uri: "/b" }),
    { stripPrefix: "/" },
    { stripPrefix: "/a*" },
    { uri: "b" },
    { uri: "/b", stripPrefix: "/a" },
    {},
    { Uri: "/b" },
  ),
  plugins: or(plugins, { cors: 1 }, [], JSON.parse('{"x":{"__proto__":1}}')),
  scheme: or(fc.constantFrom("http", "https", "grpc", "grpcs"), "tcp"),
  timeout: or(
    fc.record({ connect: or(fc.constant(1), ...seconds), send: fc.constant(2), read: fc.constant(0.5) }),
    { connect: 1, send: 2 },
    { connect: 1, send: 2, read: 3, reed: 4 },
  ),
  retries: or(fc.integer({ min: 0, max: 10 }), 11, -1),
  passHost: or(fc.constantFrom("pass", "node", "a.example.com"), "*.example.com", "rewrite it"),
  loadBalancer: or(
    fc.constantFrom(
      ...["roundrobin", "least_conn", "ewma"],
      { chash: { hashOn: "vars", key: "uri" } },
      { chash: { hashOn: "consumer" } },
    ),
    { chash: { hashOn: "vars" } },
    { chash: { hashOn: "vars", key: "" } },
    { chash: { hashOn: "header", key: "k".repeat(257) } },
    { chash: {} },
  ),
  healthCheck: or(
    fc.constantFrom({ path: "/h" }, { path: "/h?x=1", interval: 2, healthy: 1, unhealthy: 3 }),
    { path: "h" },
    { path: "/h", interval: 0 },
    { path: `/${long}` },
    { path: "/h", healthy: 255 },
  ),
  share: or(fc.constantFrom("none", "cluster", "fleet"), "Fleet"),
  via: or(fc.constant("endpoint"), "nodePort"),
  publishNotReady: or(fc.boolean()),
  protocol: or(fc.constant("http"), "tcp", "udp"),
};

/** Both of `host` and `hosts`, of `uri` and `uris`, of `rewrite` and a plugin that rewrites: not together, as a rule. */
const entry = fc
  .tuple(
    fc.record(fields, { requiredKeys: ["name", "port"], noNullPrototype: true }),
    fc.nat(15),
    fc.oneof(
      { weight: 12, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ prot: 1, hots: "a" }) },
    ),
  )
  .map(([drawn, choice, unknown]) => {
    const kept: Record<string, unknown> = { ...drawn, ...unknown };
    if (choice > 0) delete kept[choice % 2 === 0 ? "host" : "hosts"];
    if (choice > 0) delete kept[choice % 4 < 2 ? "uri" : "uris"];
    if (choice > 1) delete kept[choice % 8 < 4 ? "rewrite" : "plugins"];
    return kept;
  });

/** What happens to a text that no value could be written as. */
const twists: Readonly<Record<string, (text: string) => string>> = {
  none: (text) => text,
  spaced: (text) => ` \n${text.replaceAll(",", " ,\t")}\r\n`,
  "byte order mark": (text) => `\ufeff${text}`,
  "a key twice": (text) => text.replace('{"name":', '{"n\\u0061me":"web","name":'),
  "a large number": (text) =>
    text.replace(/"count":1|\d+/, (found) => (found.startsWith('"') ? '"count":1e999' : "1e999")),
  "a prototype": (text) => text.replace('"websocket"', '"__proto__"'),
  deep: (text) => text.replace(/\d+/, `${"[".repeat(31)}${"]".repeat(31)}`),
  "very deep": (text) => text.replace(/\d+/, `${"[".repeat(5000)}${"]".repeat(5000)}`),
  "a long text": (text) => text.replace('"web"', `"${"w".repeat(66_000)}"`),
  "many entries": (text) => (text.startsWith("[{") ? `[${"1,".repeat(100)}${text.slice(1)}` : text),
};

/** Twists after which nothing can be read. */
const unreadable = new Set(["byte order mark", "a key twice", "a long text"]);

export const anyAnnotation = fc
  .record({
    value: fc.oneof(
      { weight: 24, arbitrary: fc.array(entry, { maxLength: 3 }) },
      { weight: 2, arbitrary: entry },
      { weight: 1, arbitrary: wild },
    ),
    twist: fc.oneof(
      { weight: 15, arbitrary: fc.constant("none") },
      { weight: 1, arbitrary: fc.constantFrom(...Object.keys(twists)) },
    ),
    damage: someDamage,
    kind: fc.constantFrom("pod" as const, "service" as const),
  })
  .map(({ value, twist, damage, kind }) => {
    const plain = JSON.stringify(value) ?? "";
    const twisted = twists[twist]?.(plain) ?? "";
    const text = damaged(Buffer.from(twisted), damage).toString("utf8");
    return { text, kind, isUnreadable: unreadable.has(twist) && twisted !== plain && text === twisted };
  });
