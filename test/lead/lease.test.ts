import { describe, expect, it } from "vitest";
import { claimText, readLease, releaseText, type Lease } from "../../src/lead/lease.ts";

const place = { namespace: "infra", name: "translator" };
const wall = Date.parse("2026-03-01T08:00:00.123Z");
const claim = { holder: "me", duration: 15_000, address: "10.0.0.1:8080" };
const object = {
  kind: "Lease",
  metadata: {
    ...{ name: "translator", namespace: "infra", uid: "u", resourceVersion: "5", managedFields: [{}] },
    annotations: { theirs: "stays", "apisix-translator.io/address": "10.0.0.9:8080" },
  },
  spec: {
    ...{ holderIdentity: "other", leaseDurationSeconds: 20, leaseTransitions: 3, preferredHolder: "x" },
    ...{ acquireTime: "2026-01-01T00:00:00.000000Z", renewTime: "2026-01-01T00:00:00.000000Z" },
  },
};
const read = (value: unknown): Lease => readLease(value, place)!;
const withSpec = (spec: object): object => ({ ...object, spec: { ...object.spec, ...spec } });

describe("a Lease", () => {
  it("is read", () => {
    expect(read(object)).toEqual({
      ...{ holder: "other", duration: 20_000, version: "5", address: "10.0.0.9:8080", object },
    });
    expect(read({ ...object, spec: undefined })).toMatchObject({ holder: "", duration: undefined });
  });

  it.each([
    ["nothing", undefined],
    ["another kind", { ...object, kind: "Pod" }],
    ["another name", { ...object, metadata: { ...object.metadata, name: "x" } }],
    ["another namespace", { ...object, metadata: { ...object.metadata, namespace: "x" } }],
    ["one without version", { ...object, metadata: { ...object.metadata, resourceVersion: "" } }],
    ["one without uid", { ...object, metadata: { ...object.metadata, uid: undefined } }],
    ["a holder that is no text", withSpec({ holderIdentity: 7 })],
  ])("is not read from %s", (_what, value) => {
    expect(readLease(value, place)).toBeUndefined();
  });

  it.each([
    [0, undefined],
    [-5, undefined],
    ["20", undefined],
    [1e12, 3_600_000],
  ])("of %j seconds lasts %j", (leaseDurationSeconds, duration) => {
    expect(read(withSpec({ leaseDurationSeconds })).duration).toBe(duration);
  });
});

describe("the text of a Lease", () => {
  const parsed = (text: string): object => JSON.parse(text) as object;
  const now = "2026-03-01T08:00:00.123000Z";

  it("takes it from another, and keeps what others put there", () => {
    expect(parsed(claimText(place, claim, read(object), wall))).toEqual({
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
      metadata: {
        ...{ name: "translator", namespace: "infra", uid: "u", resourceVersion: "5" },
        annotations: { theirs: "stays", "apisix-translator.io/address": "10.0.0.1:8080" },
      },
      spec: {
        ...{ holderIdentity: "me", leaseDurationSeconds: 15, leaseTransitions: 4, preferredHolder: "x" },
        ...{ acquireTime: now, renewTime: now },
      },
    });
  });

  it("renews it: neither acquired anew nor passed on", () => {
    const { acquireTime } = object.spec;
    const spec = { acquireTime, renewTime: now, leaseTransitions: 3 };
    expect(parsed(claimText(place, claim, read(withSpec({ holderIdentity: "me" })), wall))).toMatchObject({
      spec,
    });
  });

  it("makes it", () => {
    expect(parsed(claimText(place, claim, null, wall))).toMatchObject({
      metadata: { name: "translator", namespace: "infra" },
      spec: { holderIdentity: "me", leaseTransitions: 0 },
    });
  });

  it("releases it as client-go does, and withdraws the address", () => {
    const text = releaseText(place, read(object), wall);
    expect(parsed(text)).toMatchObject({
      metadata: { annotations: { theirs: "stays" } },
      spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 3 },
    });
    expect(text).not.toContain("10.0.0.9");
  });
});
