import { describe, expect, it } from "vitest";
import { groupTitle } from "../../src/observe/group-title.ts";
import { parseTarget } from "../../src/observe/target.ts";

const object = { cluster: "east-1", namespace: "shop", kind: "pod", name: "web-0", route: "cart" };

describe("groupTitle", () => {
  it.each([
    [{}, "east-1/shop/pod/web-0, route cart"],
    [{ route: "" }, "east-1/shop/pod/web-0"],
    [{ name: "" }, "east-1/shop/cart (group of Pods)"],
    [{ name: "", cluster: "" }, "shop/cart (group of Pods in all clusters)"],
    [{ kind: "service", cluster: "" }, "shop/web-0/cart (group of Services in all clusters)"],
  ])("of %j is %s", (over, expected) => {
    expect(groupTitle({ ...object, ...over })).toBe(expected);
  });

  it("begins with what explain takes", () => {
    expect(parseTarget(groupTitle(object).split(",")[0] ?? "")).toMatchObject({
      ok: true,
      target: { kind: "object" },
    });
  });
});
