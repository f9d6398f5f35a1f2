import { expect, it } from "vitest";
import { Settling } from "../../src/diff/settling.ts";

const service = { cluster: "east", kind: "service" } as const;
const pod = { cluster: "east", kind: "pod" } as const;

it("a group waits until every kind that it rests on is settled, in either order", () => {
  for (const [first, second] of [
    ["services", "endpointslices"],
    ["endpointslices", "services"],
  ] as const) {
    const settling = new Settling(() => true);
    const open = new Set(["t-1"]);
    const settle = (kind: typeof first | typeof second): void => {
      for (const id of settling.settle("east", kind)) if (settling.isSettled(service)) open.delete(id);
    };
    settling.wait(service, "t-1");
    settle(first);
    expect(settling.isSettled(service)).toBe(false);
    expect([...open]).toEqual(["t-1"]);
    settle(second);
    expect(settling.isSettled(service)).toBe(true);
    expect([...open]).toEqual([]);
  }
});

it("what rests on other kinds does not wait for them", () => {
  const settling = new Settling(() => true);
  settling.settle("east", "pods");
  expect(settling.sight(pod)).toBe("seen");
  expect(settling.sight({ ...pod, cluster: "west" })).toBe("pending");
  settling.unsettle("east", "endpointslices");
  expect(settling.isSettled(pod)).toBe(true);
  settling.unsettle("east", "pods");
  expect(settling.isSettled(pod)).toBe(false);
});
