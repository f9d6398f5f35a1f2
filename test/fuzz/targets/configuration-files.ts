import fc from "fast-check";

const wild = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.constantFrom(
    "5s",
    "-1s",
    "1GiB",
    "9".repeat(400),
    "${x}",
    "*",
    "&a",
    "!!js",
    "0x10",
    "__proto__",
    {},
    "1h",
  ),
);
/** One value in some hundred is anything: a file has many. */
const or = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 120, arbitrary: right }, { weight: 1, arbitrary: wild });
const of = (...values: readonly unknown[]): fc.Arbitrary<unknown> => or(fc.constantFrom(...values));
/** As `of`, and now and then one of those that are wrong. */
const mostly = (right: readonly unknown[], ...wrong: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: of(...right) }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
const section = (
  keys: Record<string, fc.Arbitrary<unknown>>,
  ...requiredKeys: string[]
): fc.Arbitrary<unknown> => or(fc.record(keys, { requiredKeys, noNullPrototype: true }));

const duration = mostly(["50ms", "5s", "10m", "15s"], 0, "-1s", "1.5s");

const cluster = (name: string, inCluster: boolean): fc.Arbitrary<unknown> =>
  section(
    {
      name: of(name),
      ...(inCluster ? { inCluster: of(true) } : { kubeconfig: of("/k"), context: of("c") }),
      namespaces: of([], ["a"], ["a", "b"]),
      addressFamily: of("IPv4", "IPv6", "dual"),
      weight: or(fc.nat(200)),
      sliceSelector: of("enabled", "none"),
    },
    ...["name", inCluster ? "inCluster" : "kubeconfig"],
  );

const rarelyAt = (one: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: one });

const clusters = fc.oneof(
  { weight: 20, arbitrary: fc.tuple(cluster("home", true)) },
  { weight: 20, arbitrary: fc.tuple(cluster("home", true), cluster("east-1", false)) },
  { weight: 1, arbitrary: fc.tuple(cluster("home", true), cluster("home", false)) },
  { weight: 1, arbitrary: fc.tuple(cluster("west", false), cluster("east-1", false)) },
);

const leader = fc.oneof(
  {
    weight: 6,
    arbitrary: of({ enabled: false }, { duration: "30s", renewDeadline: "20s", retryPeriod: "4s" }),
  },
  {
    weight: 1,
    arbitrary: section({
      duration,
      renewDeadline: duration,
      retryPeriod: duration,
      cluster: of("home", "x"),
    }),
  },
);

/** What a configuration file says. */
const file = fc.record(
  {
    instance: of("default", "blue"),
    clusters: or(clusters),
    clusterSecrets: section(
      { cluster: mostly(["home"], "x"), selector: mostly(["a=b", "x/a=b,c="], "a", "a=b=c") },
      "cluster",
    ),
    gateway: section(
      {
        adminUrls: mostly(
          [["http://apisix-admin:9180"], ["http://a:1", "https://b"]],
          ["http://u:p@a"],
          ["http://a/x"],
          [],
        ),
        timeout: mostly(["2s", "500ms", "5s"], 500),
        maxListBytes: of("1GiB", "64MiB", 1_048_576),
        adminKeyFile: mostly(["/key"], "/empty", "/none"),
        tls: rarelyAt(
          section({ serverName: of("a.example.com"), caFile: of("/text", "/none"), keyFile: of("/text") }),
        ),
      },
      "adminUrls",
    ),
    sources: section({ pods: mostly([true], false), services: or(fc.boolean()) }),
    nodePort: section({ maxNodes: of(1, 64), address: of("InternalIP", "ExternalIP") }),
    leader: or(leader),
    shards: section({ count: or(fc.nat(8)), by: of("service", "cluster") }),
    throttle: section({
      quiet: of("0ms", "50ms"),
      maxDelay: mostly(["500ms", "5s"], "10ms"),
      concurrency: or(fc.integer({ min: 1, max: 64 })),
      rate: of(0, 0.5, 100),
      routeInterval: of("auto", "1s"),
      deleteGrace: duration,
    }),
    policy: section({
      hosts: mostly(
        [
          [],
          [{ hosts: ["**.example.com"] }],
          [{ clusters: ["east-*"], namespaces: ["a", "*"], hosts: ["*.a", "10.0.0.1", "::1"] }],
        ],
        [{ hosts: ["A.b"] }],
        [{ hosts: [] }],
        [{ clusters: ["**"], hosts: ["a::x"] }],
        [{ hosts: ["a".repeat(254)] }],
      ),
      plugins: mostly([[], ["cors"], ["cors", "limit-count"]], ["cors", "cors"], ["a b"]),
      maxRoutesPerNamespace: of(0, 5),
    }),
    defaults: section({
      host: mostly(
        ["{name}.x", "{route}.{namespace}.{cluster}.example.com", "a"],
        "{oops}.x",
        "a}",
        "{a",
        "...",
      ),
      uri: mostly(["/*", "/a"], "x"),
    }),
    guard: section({
      maxDeletes: or(fc.nat(9)),
      maxDeleteRatio: or(fc.double({ min: 0, max: 1, noNaN: true })),
    }),
    audit: section({ interval: mostly(["10m", "1s"], "10ms") }),
    events: section({ enabled: or(fc.boolean()) }),
    observe: section({
      listen: mostly(["0.0.0.0:8080", "[::1]:0"], "127.0.0.1:9090", "a", "a:99999"),
      admin: of("127.0.0.1:9090", "127.0.0.1:0"),
      advertise: mostly(["", "10.0.0.5", "10.0.0.5:80", "[::1]:80"], "a b", "::1"),
      logLevel: of("debug", "info"),
      logFormat: of("json", "text"),
    }),
  },
  { requiredKeys: ["clusters", "gateway"], noNullPrototype: true },
);

const rarely = <T>(usual: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });

/** A file, and what else a start is given. */
export const anyStart = fc.record({
  file,
  unknown: rarely({}, fc.constantFrom<object>({ unknown: 1 }, { clusterz: [] }, { Instance: "x" })),
  /** Something that YAML has and JSON has not. */
  twist: rarely(
    "",
    fc.constantFrom(
      "\n---\na: 1\n",
      "\nx: &a [*a]\n",
      "\n? [1]\n: 2\n",
      "\n!!binary x: 1\n",
      "\ninstance: a\n",
    ),
  ),
  flags: rarely(
    [],
    fc.array(
      fc.constantFrom(
        { name: "throttle.concurrency", value: "7" },
        { name: "throttle.concurrency", value: "x" },
        { name: "guard.maxDeleteRatio", value: "0.5" },
        { name: "leader.enabled", value: "false" },
        { name: "events.enabled", value: undefined },
        { name: "instance", value: undefined },
        { name: "clusters", value: "[]" },
        { name: "concurency", value: "3" },
        { name: "gateway", value: "x" },
        { name: "speed", value: "secret=1" },
      ),
      { minLength: 1, maxLength: 2 },
    ),
  ),
  env: rarely(
    {},
    fc.constantFrom<Record<string, string>>(
      { TRANSLATOR_INSTANCE: "green" },
      { TRANSLATOR_SHARDS_COUNT: "99" },
      { TRANSLATOR_POLICY_PLUGINS: "cors" },
      { TRANSLATOR_INSTANZ: "x" },
      { TRANSLATOR_SERVICE_HOST: "10.0.0.1", TRANSLATOR_PORT_80_TCP_ADDR: "10.0.0.1" },
    ),
  ),
});
