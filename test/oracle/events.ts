import fc from "fast-check";
import type { EndpointSliceOptions } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { node } from "../../src/sim/kubernetes/node.ts";
import { withDeletion } from "../../src/sim/kubernetes/object-changes.ts";
import { service, type ServiceOptions } from "../../src/sim/kubernetes/service.ts";
import type { Kind } from "../../src/watch/events.ts";

/** What happens in one of the clusters, or to the translator. */
export type OracleEvent =
  | { readonly type: "apply"; readonly cluster: string; readonly kind: Kind; readonly object: KubeObject }
  | { readonly type: "remove"; readonly cluster: string; readonly kind: Kind; readonly name: string }
  | { readonly type: "lapse" | "settle" | "restart" };

export const clusters = [
  { name: "east", addressFamily: "IPv4" },
  { name: "west", addressFamily: "dual" },
] as const;

const nodeName = fc.constantFrom("n1", "n2", "n3");
const v4 = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4");
const v6 = fc.constantFrom("fd00::1", "fd00::2");
/** Often the first, now and then another. */
const mostly = <T>(common: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant(common) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const cluster = mostly(...(clusters.map(({ name }) => name) as ["east", "west"]));
const serviceName = mostly("web", "api");

const entry = fc.record({
  port: mostly<string | number>(80, "http", 81, "admin", "nothing"),
  via: fc.constantFrom("endpoint", "nodePort"),
  publishNotReady: mostly(false, true),
  retries: mostly<unknown>(1, 2, "many"),
  scheme: mostly("http", "https"),
  share: fc.constantFrom("none", "fleet", "cluster"),
  host: mostly("one", "two"),
});

const annotation = (name: string): fc.Arbitrary<string | readonly object[]> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.subarray(["web", "admin"], { minLength: 1 }), entry, entry)
        .map(([routes, ...entries]) =>
          routes.map((route, index) => ({
            ...entries[index],
            name: route,
            host: `${route}.${name}.${entries[index]!.host}`,
          })),
        ),
    },
    { weight: 1, arbitrary: fc.constant("no JSON") },
    { weight: 1, arbitrary: fc.constant([]) },
  );

const ports: [ServiceOptions["ports"], ...ServiceOptions["ports"][]] = [
  [{ name: "http", port: 80, nodePort: 30080 }],
  [{ name: "http", port: 80 }],
  [{ port: 80 }],
  [
    { name: "http", port: 80, nodePort: 30081 },
    { name: "admin", port: 81, nodePort: 30082 },
  ],
];

const services = fc.record({ cluster, name: serviceName }).chain(({ cluster: where, name }) =>
  fc
    .record({
      routes: annotation(name),
      ports: mostly<ServiceOptions["ports"]>(...ports),
      type: mostly<NonNullable<ServiceOptions["type"]>>("NodePort", "ClusterIP", "ExternalName"),
      externalTrafficPolicy: mostly<"Cluster" | "Local">("Cluster", "Local"),
      isEnding: mostly(false, true),
      created: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    })
    .map(({ routes, isEnding, ports: some = [], ...options }): OracleEvent => {
      const identity = { namespace: "shop", name, uid: `uid-${where}-${name}` };
      const object = service({ ...identity, ...options, ports: some, routes });
      return {
        type: "apply",
        cluster: where,
        kind: "services",
        object: isEnding ? withDeletion(object, 0) : object,
      };
    }),
);

const endpoint = (ip: fc.Arbitrary<string>) =>
  fc.record(
    {
      ip,
      nodeName,
      ready: fc.boolean(),
      serving: fc.boolean(),
      terminating: fc.boolean(),
    },
    { requiredKeys: ["ip"] },
  );

const slices = fc
  .record({ cluster, name: fc.constantFrom("s1", "s2", "s3", "six") })
  .chain(({ cluster: where, name }) => {
    const isIPv6 = name === "six";
    return fc
      .record({
        service: mostly("web", "api", ""),
        endpoints: fc.array(endpoint(isIPv6 ? v6 : v4), { maxLength: 4 }),
        ports: mostly<EndpointSliceOptions["ports"]>(
          [{ name: "http", port: 8080 }],
          [{ name: "http", port: 9090 }],
          [{ port: 8080 }],
          [{ name: "http" }],
          [
            { name: "admin", port: 8081 },
            { name: "http", port: 8080 },
          ],
        ),
        isMirror: mostly(false, true),
      })
      .map(({ isMirror, ports: some = [], ...options }): OracleEvent => {
        const labels = isMirror ? { "multicluster.kubernetes.io/service-name": "web" } : {};
        const addressType = isIPv6 ? "IPv6" : "IPv4";
        const object = endpointSlice({
          namespace: "shop",
          name,
          addressType,
          labels,
          ports: some,
          ...options,
        });
        return { type: "apply", cluster: where, kind: "endpointslices", object };
      });
  });

const nodes = fc
  .record({
    cluster,
    name: nodeName,
    internalIPs: fc.subarray(["192.168.0.1", "192.168.0.2", "fd00::a"]),
    isOut: mostly(false, true),
  })
  .map(({ cluster: where, name, internalIPs, isOut }): OracleEvent => {
    const labels = isOut ? { "node.kubernetes.io/exclude-from-external-load-balancers": "" } : {};
    return { type: "apply", cluster: where, kind: "nodes", object: node({ name, internalIPs, labels }) };
  });

const removals = fc.oneof(
  fc.record({
    type: fc.constant("remove" as const),
    cluster,
    kind: fc.constant<Kind>("services"),
    name: serviceName,
  }),
  fc.record({
    ...{ type: fc.constant("remove" as const), cluster, kind: fc.constant<Kind>("endpointslices") },
    name: fc.constantFrom("s1", "s2", "s3", "six"),
  }),
  fc.record({
    type: fc.constant("remove" as const),
    cluster,
    kind: fc.constant<Kind>("nodes"),
    name: nodeName,
  }),
);

export const events: fc.Arbitrary<OracleEvent[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: services },
    { weight: 6, arbitrary: slices },
    { weight: 4, arbitrary: nodes },
    { weight: 2, arbitrary: removals },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("lapse" as const) }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant("settle" as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("restart" as const) }) },
  ),
  { minLength: 1, maxLength: 40, size: "max" },
);
