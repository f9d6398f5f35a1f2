import { describe, expect, it } from "vitest";
import { identity, record, standing } from "./facts.ts";
import { ask, explained, written } from "./explained-world.ts";

describe("what is not known", () => {
  it.each([
    [
      "a cluster that there is not",
      "north/shop/pod/web-1",
      'there is no cluster "north"; there are east, west',
    ],
    ["a cluster that is not seen", "west/shop/pod/web-1", "west is not seen now: connection refused"],
    [
      "a cluster that has left the configuration",
      "south/shop/pod/web-2",
      "south is not in the configuration any more; what it has in APISIX stands as it is, and if it is gone for good, or has another name now, purge --cluster south deletes what stands of it",
    ],
    [
      "an object that there is not",
      "east/shop/pod/web-1",
      'only an object whose label apisix-translator.io/enabled is exactly "true" is seen',
    ],
    ["a host that nobody names", "a.example.com", "west is not seen now"],
  ])("is told with its reason: %s", async (_, target, unknown) => {
    const unseen = { west: "connection refused" };
    const south = record(undefined, {
      ...{ upstream: standing.upstream, id: "t-9", identity: { ...identity, cluster: "south" } },
    });
    expect((await ask(target, { unseen, records: [south] })).unknown).toBe(unknown);
    expect((await ask(target, { unseen, records: [written, south], explained: [explained] })).unknown).toBe(
      target.startsWith("east") || target.startsWith("a.") ? undefined : unknown,
    );
  });

  it.each([
    [false, "it has the label, and no annotation apisix-translator.io/routes"],
    [true, "its annotation apisix-translator.io/routes declares nothing"],
  ])("is told of an object that is seen (annotated: %s)", async (annotated, unknown) => {
    expect((await ask("east/shop/pod/web-1", { annotated })).unknown).toBe(unknown);
  });

  it("names no purge where it is not known which clusters are configured", async () => {
    const mayBeMore = "the cluster Secrets cannot be listed: 403";
    const south = record(undefined, {
      ...{ upstream: standing.upstream, id: "t-9", identity: { ...identity, cluster: "south" } },
    });
    const asked = async (target: string): Promise<string | undefined> =>
      (await ask(target, { mayBeMore, records: [south] })).unknown;
    const unknown = `whether south is in the configuration is not known: ${mayBeMore}`;
    expect(await asked("south/shop/pod/web-2")).toBe(unknown);
    expect(await asked("a.example.com")).toBe(`there may be clusters that are not known: ${mayBeMore}`);
  });

  it("is nothing where every cluster is seen", async () => {
    expect(await ask("a.example.com", {})).not.toHaveProperty("unknown");
  });
});
