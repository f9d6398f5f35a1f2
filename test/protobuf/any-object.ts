import fc from "fast-check";
import type { Kind } from "../../src/watch/events.ts";
import {
  nodeBytes,
  podBytes,
  serviceBytes,
  sliceBytes,
  type MetadataJson,
  type NodeJson,
  type PodJson,
  type ServiceJson,
  type SliceJson,
} from "./object-bytes.ts";

/** One object twice: as JSON would have it, and in protobuf. */
export interface AnyObject {
  readonly kind: Kind;
  readonly json: { readonly metadata: MetadataJson };
  readonly bytes: Buffer;
}

const some = { requiredKeys: [] };
const text = fc.oneof(fc.constantFrom("", "web", "true", "Ready", "ä💡", "x".repeat(200)), fc.string());
const time = fc
  .integer({ min: Date.parse("1960-01-01"), max: Date.parse("2200-01-01") })
  .map((at) => `${new Date(at).toISOString().slice(0, 19)}Z`);
const port = fc.oneof(fc.integer({ min: -1, max: 65_536 }), fc.constantFrom(2 ** 31 - 1, -(2 ** 31)));
const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom("", "not an address"));

const texts = (...keys: readonly string[]) =>
  fc.dictionary(
    fc.oneof(fc.constantFrom(...keys, "k".repeat(200)), fc.string({ minLength: 1, maxLength: 8 })),
    text,
    {
      maxKeys: 4,
      noNullPrototype: true,
    },
  );

const metadata: fc.Arbitrary<MetadataJson> = fc.record(
  {
    name: fc.string({ minLength: 1, maxLength: 20 }),
    namespace: fc.string({ minLength: 1, maxLength: 20 }),
    uid: fc.oneof({ weight: 5, arbitrary: fc.uuid() }, { weight: 1, arbitrary: text }),
    resourceVersion: fc.integer({ min: 1 }).map(String),
    generation: fc.maxSafeInteger(),
    creationTimestamp: fc.oneof({ weight: 5, arbitrary: time }, { weight: 1, arbitrary: fc.constant(null) }),
    deletionTimestamp: time,
    labels: texts(
      "apisix-translator.io/enabled",
      "kubernetes.io/service-name",
      "multicluster.kubernetes.io/service-name",
      "node.kubernetes.io/exclude-from-external-load-balancers",
    ),
    annotations: texts(
      "apisix-translator.io/routes",
      "apisix-translator.io/paused",
      "k8s.io/initial-events-end",
    ),
    ownerReferences: fc.array(
      fc.record({ kind: text, name: text, controller: fc.boolean() }, { requiredKeys: ["kind", "name"] }),
      { maxLength: 3 },
    ),
    managedFields: fc.array(fc.record({ manager: text }), { maxLength: 3 }),
  },
  { requiredKeys: ["name", "namespace", "resourceVersion"] },
);

const containers = fc.array(
  fc.record(
    {
      ...{ name: text, image: text, restartPolicy: fc.constantFrom("Always", "OnFailure", "") },
      ports: fc.array(fc.record({ name: text, containerPort: port, protocol: text }, some), { maxLength: 3 }),
    },
    { requiredKeys: ["name"] },
  ),
  { maxLength: 3 },
);

const pods: fc.Arbitrary<PodJson> = fc.record({
  metadata,
  spec: fc.record(
    { containers, initContainers: containers, nodeName: text },
    { requiredKeys: ["containers"] },
  ),
  status: fc.record(
    {
      phase: fc.constantFrom("Running", "Pending", "Succeeded", ""),
      conditions: fc.array(
        fc.record({
          type: fc.constantFrom("Ready", "Initialized"),
          status: fc.constantFrom("True", "False"),
        }),
        { maxLength: 3 },
      ),
      podIP: address,
      podIPs: fc.array(fc.record({ ip: address }, some), { maxLength: 3 }),
    },
    some,
  ),
});

const services: fc.Arbitrary<ServiceJson> = fc.record({
  metadata,
  spec: fc.record(
    {
      type: fc.constantFrom("ClusterIP", "NodePort", "ExternalName", ""),
      clusterIP: address,
      externalTrafficPolicy: fc.constantFrom("Local", "Cluster", ""),
      ports: fc.array(
        fc.record(
          { name: text, protocol: fc.constantFrom("TCP", "UDP", "SCTP"), port, nodePort: port },
          { requiredKeys: ["protocol"] },
        ),
        { maxLength: 4 },
      ),
    },
    some,
  ),
});

const endpointslices: fc.Arbitrary<SliceJson> = fc.record(
  {
    metadata,
    addressType: fc.constantFrom("IPv4", "IPv6", "FQDN"),
    endpoints: fc.array(
      fc.record(
        {
          addresses: fc.array(address, { maxLength: 3 }),
          conditions: fc.record(
            { ready: fc.boolean(), serving: fc.boolean(), terminating: fc.boolean() },
            some,
          ),
          ...{ nodeName: text, zone: text },
        },
        { requiredKeys: ["addresses"] },
      ),
      { maxLength: 5 },
    ),
    ports: fc.array(fc.record({ name: text, protocol: text, port }, some), { maxLength: 3 }),
  },
  { requiredKeys: ["metadata"] },
);

const nodes: fc.Arbitrary<NodeJson> = fc.record({
  metadata,
  status: fc.record(
    {
      addresses: fc.array(
        fc.record({ type: fc.constantFrom("InternalIP", "ExternalIP", "Hostname"), address }),
        { maxLength: 4 },
      ),
    },
    some,
  ),
});

const made = <K extends Kind, J extends AnyObject["json"]>(
  kind: K,
  any: fc.Arbitrary<J>,
  bytesOf: (json: J) => Buffer,
): fc.Arbitrary<AnyObject> => any.map((json) => ({ kind, json, bytes: bytesOf(json) }));

/** Objects of all kinds: with fields that are absent, at zero, out of range, and some that nobody reads. */
export const anyObject: fc.Arbitrary<AnyObject> = fc.oneof(
  made("pods", pods, podBytes),
  made("services", services, serviceBytes),
  made("endpointslices", endpointslices, sliceBytes),
  made("nodes", nodes, nodeBytes),
);

export const kindNames: Readonly<Record<Kind, string>> = {
  pods: "Pod",
  services: "Service",
  endpointslices: "EndpointSlice",
  nodes: "Node",
};
