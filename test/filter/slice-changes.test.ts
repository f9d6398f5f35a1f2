import { expect, test } from "vitest";
import { Filter, type Verdict } from "../../src/filter/pass.ts";
import { packers, unpackEndpointSlice } from "../../src/shard/pack.ts";
import { endpointSlice, type SliceEndpoint } from "../../src/sim/kubernetes/endpoint-slice.ts";
import { addressBytes, readAddress } from "../../src/store/ip-address.ts";
import { ObjectStore } from "../../src/store/object-store.ts";

class Slices {
  readonly store = new ObjectStore();
  readonly filter = new Filter({ store: this.store, packers, unpackSlice: unpackEndpointSlice });

  apply(service: string, ...endpoints: SliceEndpoint[]): Verdict {
    const value: unknown = JSON.parse(JSON.stringify(endpointSlice({ service, name: "s", endpoints })));
    const wire = { stamp: undefined, fingerprint: () => undefined, value: () => value };
    return this.filter.offer({ type: "apply", listed: false, ...this.#key, wire });
  }

  remove(): Verdict {
    return this.filter.offer({ type: "delete", relist: false, ...this.#key });
  }

  readonly #key = {
    cluster: "east",
    session: 1,
    kind: "endpointslices",
    at: 5,
    key: { namespace: "default", name: "s" },
  } as const;
}

/** `apply NAME of SERVICE: addresses`, or `delete …`. */
function words(verdict: Verdict): string[] {
  if (!("kept" in verdict)) return [verdict.dropped];
  return verdict.kept.map((kept) => {
    const { type, name, service } = kept;
    if (kept.type === "delete") return `${type} ${name} of ${service}`;
    const { addresses, conditions, vanished } = unpackEndpointSlice(kept.packed);
    const texts = Array.from(conditions, (_, row) => readAddress(addresses, row * addressBytes.IPv4, "IPv4"));
    return `${type} ${name} of ${service}${vanished ? ", vanished" : ""}: ${texts.join(" ")}`;
  });
}

const [one, two, three] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((ip) => ({ ip })) as [
  SliceEndpoint,
  SliceEndpoint,
  SliceEndpoint,
];

test("what vanishes from a slice is kept beside it, ahead of the change, until it lapses", () => {
  const slices = new Slices();
  expect(words(slices.apply("web", one, two))).toEqual(["apply s of web: 10.0.0.1 10.0.0.2"]);
  const verdict = slices.apply("web", two, three);
  expect(words(verdict)).toEqual([
    "apply s~1 of web, vanished: 10.0.0.1",
    "apply s of web: 10.0.0.2 10.0.0.3",
  ]);
  const key = "vanished" in verdict ? verdict.vanished : undefined;
  expect(slices.store.count("east", "endpointslices")).toBe(2);
  expect(slices.filter.lapse(key!)).toMatchObject({ type: "delete", name: "s~1", service: "web", at: 0 });
  expect(slices.filter.lapse(key!)).toBeUndefined();
  expect(slices.store.count("east", "endpointslices")).toBe(1);
});

test("trap 8: of a slice that is deleted everything has vanished, but for what did not serve", () => {
  const slices = new Slices();
  slices.apply("web", one, { ip: "10.0.0.9", ready: false, serving: false, terminating: true });
  expect(words(slices.remove())).toEqual(["apply s~1 of web, vanished: 10.0.0.1", "delete s of web"]);
  slices.apply("web");
  expect(words(slices.remove())).toEqual(["delete s of web"]);
});

test("present and not ready is a change like any other: nothing has vanished", () => {
  const slices = new Slices();
  slices.apply("web", one);
  expect(words(slices.apply("web", { ...one, ready: false }))).toEqual(["apply s of web: 10.0.0.1"]);
});

test("F4: a slice that goes to another Service leaves the first and comes to the second, at once", () => {
  const slices = new Slices();
  slices.apply("web", one);
  expect(words(slices.apply("api", one))).toEqual(["delete s of web", "apply s of api: 10.0.0.1"]);
  expect(words(slices.apply("", one))).toEqual(["delete s of api"]);
  expect(words(slices.apply("", one))).toEqual(["unselected"]);
});
