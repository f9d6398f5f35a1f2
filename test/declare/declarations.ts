import fc from "fast-check";
import { compareBytewise } from "../../src/declare/byte-order.ts";
import type { Declaration, LoadBalancer, PassHost, Rewrite } from "../../src/declare/declaration.ts";
import { maxInteger } from "../../src/declare/gateway-number.ts";
import { normalizeHost } from "../../src/declare/host.ts";

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const host = fc.oneof(
  fc.domain(),
  fc.ipV4(),
  fc.ipV6(),
  fc.domain().map((name) => `*.${name.slice(0, 200)}`),
);
const normalHost = host
  .map((text) => normalizeHost(text))
  .filter((result) => result.ok)
  .map(({ host: text }) => text);
const segment = fc.stringMatching(/^[a-zé😀_~-]{1,8}$/u);
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join("/")}`);
const uri = fc.oneof(
  path,
  path.map((text) => `${text}/*`),
  fc.constant("/*"),
);
const seconds = fc.integer({ min: 1, max: 3_600_000_000 }).map((micros) => micros / 1e6);
const count = fc.integer({ min: 1, max: 254 });

function sorted<T extends string>(element: fc.Arbitrary<T>): fc.Arbitrary<readonly T[] | undefined> {
  const set = fc.uniqueArray(element, { minLength: 1, maxLength: 4 });
  return fc.option(
    set.map((all) => all.toSorted(compareBytewise)),
    { nil: undefined },
  );
}

const chashKey = fc.string({ minLength: 1, maxLength: 20 });
const loadBalancer: fc.Arbitrary<LoadBalancer> = fc.oneof(
  fc.constantFrom("roundrobin" as const, "least_conn" as const, "ewma" as const),
  fc.record({ chash: fc.record({ hashOn: fc.constantFrom("vars", "header", "consumer"), key: chashKey }) }),
);
const passHost: fc.Arbitrary<PassHost> = fc.oneof(
  fc.record({ mode: fc.constantFrom("pass" as const, "node" as const) }),
  fc.record({
    mode: fc.constant("rewrite" as const),
    host: normalHost.filter((text) => !text.startsWith("*")),
  }),
);
const rewrite: fc.Arbitrary<Rewrite | undefined> = fc.oneof(
  fc.record({ stripPrefix: path }),
  fc.record({ uri: path }),
  fc.constant(undefined),
);
const config = fc.dictionary(
  segment,
  fc.oneof(fc.string(), fc.integer(), fc.array(fc.boolean()), fc.constant(null)),
  {
    noNullPrototype: true,
  },
);

const declaration: fc.Arbitrary<Declaration> = fc.record({
  name: label,
  port: fc.oneof(fc.integer({ min: 1, max: 65535 }), fc.stringMatching(/^[a-z][a-z0-9]{0,14}$/)),
  hosts: sorted(normalHost),
  uris: sorted(uri),
  methods: sorted(fc.constantFrom("GET", "POST", "PUT", "PURGE")),
  priority: fc.integer({ min: -maxInteger, max: maxInteger }),
  websocket: fc.boolean(),
  rewrite,
  plugins: fc.dictionary(fc.constantFrom("cors", "limit-count"), config, { noNullPrototype: true }),
  scheme: fc.constantFrom("http", "https", "grpc", "grpcs"),
  timeout: fc.option(fc.record({ connect: seconds, send: seconds, read: seconds }), { nil: undefined }),
  retries: fc.integer({ min: 0, max: 10 }),
  passHost,
  loadBalancer,
  healthCheck: fc.option(
    fc.record({
      path: fc.constant("/z?a=b"),
      interval: fc.integer({ min: 1 }),
      healthy: count,
      unhealthy: count,
    }),
    { nil: undefined },
  ),
  share: fc.constantFrom("none", "cluster", "fleet", undefined),
  via: fc.constantFrom("endpoint", "nodePort"),
  publishNotReady: fc.boolean(),
});

/** Up to four valid declarations that can stand in one annotation: no name and no host twice. */
export const declarations: fc.Arbitrary<readonly Declaration[]> = fc.uniqueArray(declaration, {
  maxLength: 4,
  comparator: (a, b) => a.name === b.name || a.hosts?.some((one) => b.hosts?.includes(one)) === true,
});

/** A declaration as a user would write it, with every field spelled out. */
export function printDeclaration(one: Declaration): Readonly<Record<string, unknown>> {
  const pass = one.passHost.mode === "rewrite" ? one.passHost.host : one.passHost.mode;
  return { ...one, passHost: pass };
}
