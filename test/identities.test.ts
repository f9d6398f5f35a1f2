import { describe, expect, it } from "vitest";
import type { Owned } from "../src/apisix/snapshot.ts";
import { Identities } from "../src/identities.ts";

const nobody = (): boolean => false;

function standing(...members: readonly (readonly [string, string])[]): { owned: Map<string, Owned> } {
  const identity = {
    share: "none",
    cluster: "east",
    kind: "pod",
    namespace: "a",
    name: "b",
    route: "c",
  } as const;
  const upstream = { digest: "", nodes: 0, uid: undefined, members };
  return { owned: new Map([["t-1", { identity, upstream }]]) };
}

describe("a cluster's identity", () => {
  it("is believed where nothing says otherwise", () => {
    const identities = new Identities(() => ["east"]);
    expect(identities.refusal("east", nobody)).toBeUndefined();
    identities.answered("east", "uid-1");
    expect(identities.refusal("east", nobody)).toBeUndefined();
  });

  it("is refused when APISIX knows the name by another uid (M3)", () => {
    const identities = new Identities(() => ["east"]);
    identities.learn(standing(["east", "uid-1"]));
    identities.answered("east", "uid-2");
    expect(identities.refusal("east", nobody)).toContain("uid-2, and APISIX knows it as uid-1");
    identities.answered("east", "uid-1");
    expect(identities.refusal("east", nobody)).toBeUndefined();
  });

  it.each([
    ["the one that APISIX knows", ["west", "uid-1"], "east"],
    ["else the one at work", undefined, "east"],
  ] as const)("stands for one of two names: %s", (_, known, refused) => {
    const identities = new Identities(() => ["east", "west"]);
    if (known !== undefined) identities.learn(standing(known));
    for (const name of ["east", "west"]) identities.answered(name, "uid-1");
    const isAtWork = (name: string): boolean => known === undefined && name === "west";
    expect(identities.refusal(refused, isAtWork)).toContain("same cluster as west");
    expect(identities.refusal("west", isAtWork)).toBeUndefined();
  });

  it("stands for the first of two names in the file where nothing else tells them apart", () => {
    const identities = new Identities(() => ["east", "west"]);
    for (const name of ["west", "east"]) identities.answered(name, "uid-1");
    expect(identities.refusal("west", nobody)).toContain("same cluster as east");
    expect(identities.refusal("east", nobody)).toBeUndefined();
  });

  it("starts anew where another one answered before, for which the name does not stand", () => {
    const identities = new Identities(() => ["east"]);
    expect(identities.startsAnew("east", "uid-1")).toBe(false);
    identities.answered("east", "uid-2");
    expect(identities.startsAnew("east", "uid-2")).toBe(false);
    // APISIX has not been read yet.
    expect(identities.startsAnew("east", "uid-1")).toBe(true);
    identities.learn(standing(["east", "uid-1"]));
    expect(identities.startsAnew("east", "uid-1")).toBe(true);
    identities.answered("east", "uid-1");
    expect(identities.startsAnew("east", "uid-2")).toBe(false);
  });

  it.each(["uid-1", "uid-2"])("starts anew once where it is accepted, after %s answered", (before) => {
    const identities = new Identities(() => ["east"]);
    identities.learn(standing(["east", "uid-1"]));
    identities.answered("east", before);
    expect(identities.accept("east", "uid-2")).toBe(true);
    expect(identities.startsAnew("east", "uid-2")).toBe(true);
    identities.answered("east", "uid-2");
    expect(identities.startsAnew("east", "uid-2")).toBe(false);
    expect(identities.accept("east", "uid-2")).toBe(false);
    expect(identities.startsAnew("east", "uid-2")).toBe(false);
    identities.answered("east", "uid-1");
    expect(identities.startsAnew("east", "uid-2")).toBe(true);
  });
});
