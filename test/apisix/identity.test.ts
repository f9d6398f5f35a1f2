import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idOf, idPattern, labelsOf, readLabels } from "../../src/apisix/identity.ts";
import type { Identity, JsonObject } from "../../src/apisix/types.ts";

const pod: Identity = {
  share: "none",
  cluster: "east-1",
  kind: "pod",
  namespace: "shop",
  name: "web-0",
  route: "web",
};
const fleetService: Identity = { ...pod, share: "fleet", cluster: "", kind: "service", name: "web" };
const clusterPods: Identity = { ...pod, share: "cluster", name: "" };
const fleetPods: Identity = { ...pod, share: "fleet", cluster: "", name: "" };
const service: Identity = { ...pod, kind: "service" };
const possible = [pod, fleetService, clusterPods, fleetPods, service];

const word = fc.stringMatching(/^[a-z0-9.-]{1,20}$/);
const identities = fc
  .record({ base: fc.constantFrom(...possible), a: word, b: word, c: word, d: word })
  .map(({ base, a, b, c, d }): Identity => ({
    ...base,
    cluster: base.cluster && a,
    namespace: b,
    name: base.name && c,
    route: d,
  }));

describe("idOf", () => {
  it("is t- and 40 digits of the SHA-256 of the JSON array", () => {
    const text = '["default","none","east-1","pod","shop","web-0","web"]';
    expect(idOf("default", pod)).toBe(`t-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`);
    const fleet = '["default","fleet","","service","shop","web","web"]';
    expect(idOf("default", fleetService)).toBe(
      `t-${createHash("sha256").update(fleet).digest("hex").slice(0, 40)}`,
    );
  });

  it("differs for every part and instance, and always has the form of an id", () => {
    fc.assert(
      fc.property(identities, identities, word, word, (a, b, one, other) => {
        expect(idOf(one, a)).toMatch(idPattern);
        const same = JSON.stringify([one, a]) === JSON.stringify([other, b]);
        expect(idOf(one, a) === idOf(other, b)).toBe(same);
      }),
    );
  });
});

describe("labelsOf", () => {
  it("names owner and identity, and leaves out what the identity lacks", () => {
    expect(labelsOf("default", fleetPods)).toEqual({
      "managed-by": "apisix-translator",
      "translator/instance": "default",
      "translator/kind": "pod",
      "translator/namespace": "shop",
      "translator/route": "web",
      "translator/share": "fleet",
    });
    const keys = Object.keys(labelsOf("default", pod));
    expect(keys).toEqual(keys.toSorted());
    expect(keys).toHaveLength(8);
  });
});

describe("readLabels", () => {
  const written = (identity: Identity, instance = "default"): JsonObject => ({
    labels: labelsOf(instance, identity),
  });

  it("reads back every identity that we write", () => {
    fc.assert(
      fc.property(identities, word, (identity, instance) => {
        const id = idOf(instance, identity);
        expect(readLabels(instance, id, written(identity, instance))).toEqual({ ours: true, identity });
      }),
    );
  });

  it.each<[string, JsonObject]>([
    ["no labels", {}],
    ["labels that are a list", { labels: [] }],
    ["labels that are null", { labels: null }],
    ["another instance", written(pod, "other")],
    ["no owner", { labels: { ...labelsOf("default", pod), "managed-by": "somebody" } }],
    [
      "an owner that is not a string",
      { labels: { ...labelsOf("default", pod), "managed-by": ["apisix-translator"] } },
    ],
  ])("takes %s for foreign", (_, object) => {
    expect(readLabels("default", idOf("default", pod), object)).toEqual({ ours: false, why: "foreign" });
  });

  it("takes ownership labels on any other id for forged", () => {
    expect(readLabels("default", "my-route", written(pod))).toEqual({ ours: false, why: "forged" });
    expect(readLabels("default", idOf("default", service), written(pod))).toEqual({
      ours: false,
      why: "forged",
    });
  });

  it("takes any edited identity label for forged", () => {
    const labels = labelsOf("default", pod);
    for (const key of ["cluster", "kind", "namespace", "name", "route", "share"].map(
      (k) => `translator/${k}`,
    )) {
      for (const value of ["edited", "fleet", "service", undefined, 7, ["web"]] as const) {
        const { [key]: _, ...rest } = labels;
        const object: JsonObject = { labels: value === undefined ? rest : { ...rest, [key]: value } };
        expect(readLabels("default", idOf("default", pod), object)).toEqual({ ours: false, why: "forged" });
      }
    }
  });

  it.each<[string, Identity]>([
    ["a fleet group with a cluster", { ...fleetPods, cluster: "east-1" }],
    ["Pods of one cluster with a name", { ...clusterPods, name: "web-0" }],
    ["a lone Pod without a name", { ...pod, name: "" }],
    ["a lone Pod without a cluster", { ...pod, cluster: "" }],
    ["a Service under cluster", { ...service, share: "cluster" }],
    ["no namespace", { ...pod, namespace: "" }],
    ["no route", { ...pod, route: "" }],
  ])("takes an identity that we never write for forged: %s", (_, identity) => {
    const object = written(identity);
    expect(readLabels("default", idOf("default", identity), object)).toEqual({ ours: false, why: "forged" });
  });
});
