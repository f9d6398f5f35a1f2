import { expect, test } from "vitest";
import { defaultShare } from "../../src/declare/share.ts";

test.each(["ReplicaSet", "ReplicationController", "DaemonSet"])(
  "Pods of a %s share in their cluster",
  (kind) => {
    expect(defaultShare("pod", kind)).toBe("cluster");
  },
);

test.each(["StatefulSet", "Job", "Node", "replicaset", "", undefined])(
  "Pods of %s share with nobody",
  (kind) => {
    expect(defaultShare("pod", kind)).toBe("none");
  },
);

test("Services share with nobody, whoever controls them", () => {
  expect(defaultShare("service", undefined)).toBe("none");
  expect(defaultShare("service", "ReplicaSet")).toBe("none");
});
