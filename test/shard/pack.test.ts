import fc from "fast-check";
import { expect, test } from "vitest";
import { packers, unpackNode, unpackService, unpackSource } from "../../src/shard/pack.ts";
import { bytesOfText } from "../../src/store/byte-text.ts";

const source = {
  ...{ namespace: fc.string(), name: fc.string(), uid: fc.string(), created: fc.nat() },
  ...{ terminating: fc.boolean(), paused: fc.boolean(), routes: fc.option(fc.string(), { nil: undefined }) },
};
const port = fc.integer({ min: 1, max: 65535 });
const pod = fc.record({
  kind: fc.constant("pod" as const),
  ...source,
  ...{ phase: fc.string(), ready: fc.boolean(), controller: fc.string(), ips: fc.array(fc.string()) },
  ports: fc.array(fc.tuple(fc.string(), port)),
});
const service = fc.record({
  kind: fc.constant("service" as const),
  ...{ ...source, external: fc.boolean(), local: fc.boolean() },
  ports: fc.array(fc.record({ name: fc.string(), port, nodePort: port })),
});
const node = fc.record({
  ...{ internalIPs: fc.array(fc.string()), externalIPs: fc.array(fc.string()), excluded: fc.boolean() },
});

test("projections come back from their texts, and equal ones have equal texts", () => {
  fc.assert(
    fc.property(pod, service, node, (aPod, aService, aNode) => {
      expect(unpackSource("pods", bytesOfText(packers.pods(aPod)))).toEqual(aPod);
      expect(unpackService(bytesOfText(packers.services(aService)))).toEqual(aService);
      expect(unpackNode(bytesOfText(packers.nodes(aNode)))).toEqual(aNode);
      expect(packers.services({ ...structuredClone(aService) })).toEqual(packers.services(aService));
      expect(packers.services({ ...aService, local: !aService.local })).not.toEqual(
        packers.services(aService),
      );
    }),
  );
});
