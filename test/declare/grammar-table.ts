import { entry, invalid, row, unreadable, valid } from "./grammar-row.ts";
import type { GrammarRow } from "./grammar-row.ts";

const label63 = "a".repeat(63);
const host253 = `${label63}.${label63}.${label63}.${"b".repeat(61)}`;

const validHosts: readonly (readonly [string, string, string])[] = [
  ["upper case is lower-cased", "Shop.EXAMPLE.com", "shop.example.com"],
  ["one trailing dot is dropped", "shop.example.com.", "shop.example.com"],
  ["a single label", "localhost", "localhost"],
  ["253 characters", host253, host253],
  ["253 characters and the trailing dot", `${host253}.`, host253],
  ["a leading *.", "*.Example.com.", "*.example.com"],
  ["an IPv4 address", "10.1.2.3", "10.1.2.3"],
  ["an IPv6 address", "2001:DB8:0::1", "[2001:db8::1]"],
  ["an IPv6 address in brackets", "[2001:db8::1]", "[2001:db8::1]"],
  ["an xn-- name", "xn--bcher-kva.example", "xn--bcher-kva.example"],
];

const invalidHosts: readonly (readonly [string, string, string])[] = [
  ["a scheme", "https://shop.example.com", "no scheme"],
  ["a port", "shop.example.com:8080", "no port"],
  ["an IPv4 address with a port", "10.1.2.3:80", "no port"],
  ["an IPv6 address with a port", "[::1]:80", "no port"],
  ["a path", "shop.example.com/a", "no path"],
  ["a space", "shop example.com", "no space"],
  ["a leading space", " shop.example.com", "no space"],
  ["a line end", "shop.example.com\n", "no space or control character"],
  ["a NUL", "shop\u0000.example.com", "no space or control character"],
  ["_", "my_shop.example.com", '"_"'],
  ["over 253 characters", `${host253}b`, "at most 253"],
  ["a label over 63 characters", `${label63}a.example.com`, "at most 63"],
  ["* in the middle", "shop.*.com", 'only stand in a leading "*."'],
  ["* as a part of a label", "*shop.example.com", 'only stand in a leading "*."'],
  ["* twice", "*.*.example.com", 'only stand in a leading "*."'],
  ["* alone", "*", "alone"],
  ["* and a dot", "*.", "alone"],
  ["two trailing dots", "shop.example.com..", "empty label"],
  ["an empty label", "shop..example.com", "empty label"],
  ["a dot alone", ".", "empty"],
  ["empty", "", "empty"],
  ["- at the start of a label", "-shop.example.com", '"-"'],
  ["- at the end of a label", "shop-.example.com", '"-"'],
  ["a user", "me@shop.example.com", '"@"'],
  ["a placeholder", "{route}.example.com", '"{"'],
  ["not ASCII, shown as xn--", "bücher.example", "xn--bcher-kva.example"],
  ["not ASCII behind *., shown as xn--", "*.bücher.example", "*.xn--bcher-kva.example"],
  ["the Kelvin sign, which lower-cases to k", "\u212aube.example", "kube.example"],
  ["full-width letters", "ｓhop.example", "shop.example"],
  ["a zero-width space", "sh\u200bop.example", "ASCII"],
  ["an unpaired surrogate", "sh\ud800op.example", "ASCII"],
  ["not ASCII and a path", "bücher.example/a", "ASCII"],
];

const validUris = [
  "/",
  "/*",
  "/a",
  "/a*",
  "/a/*",
  "/a/",
  "/a.b/..c/...",
  "/.*",
  "/..*",
  "/ä/日本",
  "/a;b=c:d",
];

const invalidUris: readonly (readonly [string, string, string])[] = [
  ["no leading /", "shop", 'start with "/"'],
  ["empty", "", 'start with "/"'],
  ["* alone", "*", 'start with "/"'],
  ["a URL", "https://shop.example.com/", 'start with "/"'],
  ["?", "/a?b=c", "query"],
  ["#", "/a#b", "fragment"],
  ["a space", "/a b", "space"],
  ["a no-break space", "/a\u00a0b", "space"],
  ["%", "/a%20b", '"%"'],
  ["a tab", "/a\tb", "control"],
  ["a NUL", "/a\u0000", "control"],
  ["DEL", "/a\u007f", "control"],
  ["// at the start", "//a", '"//"'],
  ["// in the middle", "/a//b", '"//"'],
  ["// before *", "/a//*", '"//"'],
  [". as a segment", "/a/./b", '"."'],
  [". as the last segment", "/a/.", '"."'],
  [".. as a segment", "/a/../b", '".."'],
  [".. as the last segment", "/a/..", '".."'],
  ["* in the middle", "/a/*/b", "only stand at the end"],
  ["* twice", "/a/**", "only stand at the end"],
  ["an unpaired surrogate", "/a\udc00", "surrogate"],
  ["over 4096 characters", `/${"a".repeat(4096)}`, "4096"],
];

const other = { name: "other" };
const named = (host: string) => entry({ host });

const duplicates: readonly GrammarRow[] = [
  row("the same pair in two entries: the later is Invalid", `[${entry()}, ${entry(other)}]`, {
    entries: [
      { ok: true, holds: { name: "web" } },
      { ok: false, field: "host", says: "entry 1" },
    ],
  }),
  row("the same pair, spelled otherwise", `[${entry()}, ${entry({ ...other, host: "SHOP.example.com." })}]`, {
    entries: [
      { ok: true, holds: {} },
      { ok: false, field: "host", says: "entry 1" },
    ],
  }),
  row(
    "the same pair by the default uri",
    `[${entry({ uri: undefined })}, ${entry({ ...other, uri: undefined })}]`,
    {
      entries: [
        { ok: true, holds: { uris: undefined } },
        { ok: false, field: "host", says: "entry 1" },
      ],
    },
  ),
  row("the same host under two uris is two pairs", `[${entry()}, ${entry({ ...other, uri: "/b" })}]`, {
    entries: [
      { ok: true, holds: {} },
      { ok: true, holds: {} },
    ],
  }),
  row(
    "methods do not split a pair",
    `[${entry({ methods: ["GET"] })}, ${entry({ ...other, methods: ["PUT"] })}]`,
    {
      entries: [
        { ok: true, holds: {} },
        { ok: false, field: "host", says: "entry 1" },
      ],
    },
  ),
  row("the same name again: each later entry is Invalid", `[${["a.x", "b.x", "c.x"].map(named).join()}]`, {
    entries: [
      { ok: true, holds: { hosts: ["a.x"] } },
      { ok: false, field: "name", says: "entry 1" },
      { ok: false, field: "name", says: "entry 1" },
    ],
  }),
  invalid(
    "the same host twice in one entry",
    { host: undefined, hosts: ["a.example.com", "A.example.com."] },
    "hosts[1]",
    "twice",
  ),
  invalid(
    "the same uri twice in one entry",
    { uri: undefined, uris: ["/a", "/b", "/a"] },
    "uris[2]",
    "twice",
  ),
];

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const padded = (bytes: number) => entry().padEnd(bytes, " ");
const entries = (count: number) =>
  `[${Array.from({ length: count }, (_, i) => entry({ name: `r${i}`, host: `h${i}.example.com` })).join()}]`;
const validEntries = (count: number) => ({
  entries: Array.from({ length: count }, () => ({ ok: true, holds: {} }) as const),
});

const annotations: readonly GrammarRow[] = [
  row("[] declares nothing", "[]", { entries: [] }),
  row("[] between white space", " [\n] ", { entries: [] }),
  row("a single object is an array of one", entry(), validEntries(1)),
  unreadable("not JSON", "name: web", "not JSON"),
  unreadable("a trailing comma", `[${entry()},]`, "not JSON"),
  unreadable("a comment", `[${entry()}] // web`, "not JSON"),
  unreadable("single quotes", "[{'name': 'web'}]", "not JSON"),
  unreadable("JSON and more", "[] []", "not JSON"),
  unreadable("NaN", "[NaN]", "not JSON"),
  unreadable("blank", " \n\t", "blank", true),
  unreadable("empty", "", "blank", true),
  unreadable("a BOM", "\ufeff[]", "byte order mark", true),
  unreadable("a string", '"[]"', "no array or object"),
  unreadable("a number", "1", "no array or object"),
  unreadable("null", "null", "no array or object"),
  unreadable("true", "true", "no array or object"),
  unreadable("duplicate keys in a single object", '{"name": "a", "name": "b"}', "stands twice", true),
  unreadable("duplicate keys", '[{"name": "a", "name": "b"}]', '"name" stands twice', true),
  unreadable(
    "duplicate keys, one escaped",
    '[{"name": "a", "n\\u0061me": "b"}]',
    '"name" stands twice',
    true,
  ),
  unreadable(
    "duplicate keys deep inside",
    '[{"plugins": {"x": [{"a": 1, "a": 2}]}}]',
    '"a" stands twice',
    true,
  ),
  unreadable("duplicate __proto__", '[{"__proto__": 1, "__proto__": 1}]', '"__proto__" stands twice', true),
  unreadable("nesting over 32", nested(33), "32 levels"),
  unreadable("nesting far over 32", nested(30_000), "32 levels"),
  row("nesting of 32", nested(32), { entries: [{ ok: false, field: "[0]", says: "object" }] }),
  unreadable("over 64 KiB", padded(65_537), "64 KiB", true),
  unreadable("over 64 KiB in bytes, not in characters", `["${"ä".repeat(32_768)}"]`, "64 KiB", true),
  row("64 KiB", padded(65_536), validEntries(1)),
  unreadable("over 100 entries", entries(101), "101 entries"),
  row("100 entries", entries(100), validEntries(100)),
];

const siblings = entry({ name: "b", host: "b.example.com" });

const fields: readonly GrammarRow[] = [
  row("siblings of an Invalid entry go on", `[${entry({ hots: 1 })}, ${siblings}]`, {
    entries: [
      { ok: false, field: "hots", says: "did you mean hosts?" },
      { ok: true, holds: { name: "b" } },
    ],
  }),
  invalid("an unknown field", { colour: "x" }, "colour", "the field is not known; allowed are name, port, "),
  invalid("a misspelled field", { retires: 2 }, "retires", "the field is not known; did you mean retries?"),
  invalid("a field in another case", { Host: "x" }, "Host", "not known; did you mean host?"),
  invalid("__proto__", '[{"name": "a", "port": 1, "__proto__": {"port": 2}}]', "__proto__", "not known"),
  invalid("constructor", { constructor: {} }, "constructor", "not known"),
  invalid("an element that is a string", '["web"]', "[0]", "object"),
  invalid("an element that is null", "[null]", "[0]", "object"),
  invalid("an element that is an array", "[[]]", "[0]", "object"),
  invalid(
    "a number that is not finite",
    '[{"name": "a", "port": 1, "priority": 1e999}]',
    "priority",
    "integer",
  ),
  invalid(
    "a number that is not finite in a plugin",
    '[{"name": "a", "port": 1, "plugins": {"x": {"y": [1e999]}}}]',
    "plugins.x.y[0]",
    "finite",
  ),
  invalid("null is no absence", { retries: null }, "retries", "integer"),
];

/** PRODUCT.md's grammar table, row by row. */
export const grammarTable: readonly GrammarRow[] = [
  ...validHosts.map(([title, host, hosts]) => valid(`host: ${title}`, { host }, { hosts: [hosts] })),
  ...invalidHosts.map(([title, host, says]) => invalid(`host: ${title}`, { host }, "host", says)),
  ...validUris.map((uri) => valid(`uri: ${uri}`, { uri }, { uris: [uri] })),
  ...invalidUris.map(([title, uri, says]) => invalid(`uri: ${title}`, { uri }, "uri", says)),
  ...duplicates,
  ...annotations,
  ...fields,
];
