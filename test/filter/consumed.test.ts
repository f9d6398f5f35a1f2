import { describe, expect, test } from "vitest";
import { consumedPodFields } from "../../src/filter/consumed.ts";
import { projectPod } from "../../src/filter/project-pod.ts";
import { labelledPod, withValue, type Json } from "./labelled-pod.ts";

type Path = readonly (string | number)[];

/** A real Pod with something in every field that the table names. */
function fullPod(): Json {
  const pod = labelledPod();
  withValue(pod, ["metadata", "deletionTimestamp"], "2026-01-01T00:00:00Z");
  withValue(pod, ["metadata", "annotations", "apisix-translator.io/paused"], "true");
  const sidecar = {
    name: "s",
    restartPolicy: "Always",
    ports: [{ name: "side", containerPort: 7070, protocol: "TCP" }],
  };
  const once = { name: "o", ports: [{ name: "once", containerPort: 6060, protocol: "TCP" }] };
  withValue(pod, ["spec", "initContainers"], [sidecar, once]);
  return pod;
}

/** The same Pod on a server that fills in `podIP` alone. */
function singleAddressPod(): Json {
  return withValue(fullPod(), ["status", "podIPs"], undefined);
}

/** What leaves the filter of a Pod; the label is part of it. */
function seen(pod: Json): string {
  const result = projectPod(pod);
  return result.ok ? JSON.stringify([result.enabled, result.projection]) : `malformed: ${result.reason}`;
}

function* leaves(value: unknown, path: Path = []): Generator<Path> {
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) yield* leaves(inner, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) yield* leaves(inner, [...path, name]);
  } else {
    yield path;
  }
}

const valueAt = (pod: Json, path: Path): unknown =>
  path.reduce<unknown>((at, step) => (at as Json)[step], pod);

/** Another value of the same type, such as the field may have. */
function other(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return "set";
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return "2001-02-03T04:05:06Z";
  return /^[\d.]+$/.test(value) ? `${value}1` : `${value}-other`;
}

const shape = (path: Path): string => path.map((step) => (typeof step === "number" ? "[]" : step)).join(" ");
const inTable = new Map(consumedPodFields.map((field) => [field.path.join(" "), field]));

/** Fields of which only presence counts: they are taken away instead of changed. */
const onlyPresence = new Set(["metadata deletionTimestamp"]);

function changesWhatIsSeen(make: () => Json, path: Path): boolean {
  const value = valueAt(make(), path);
  const next = onlyPresence.has(shape(path)) ? undefined : other(value);
  return seen(withValue(make(), path, next)) !== seen(make());
}

describe.each([
  ["a Pod with podIPs", fullPod],
  ["a Pod with podIP alone", singleAddressPod],
] as const)("%s", (_what, make) => {
  test("no field outside the table changes what is seen", () => {
    const outside = [...leaves(make())].filter((path) => !inTable.has(shape(path)));
    expect(outside.length).toBeGreaterThan(100);
    expect(outside.filter((path) => changesWhatIsSeen(make, path))).toEqual([]);
  });

  test("a field of the table without a condition always does", () => {
    const always = [...leaves(make())].filter((path) => {
      const field = inTable.get(shape(path));
      return field !== undefined && field.when === undefined;
    });
    const silent = always.filter((path) => !changesWhatIsSeen(make, path)).map(shape);
    // Which condition is Ready is told by all types, but changing another one's to anything but Ready says nothing; an
    // init container that does not keep running likewise.
    expect([...new Set(silent)]).toEqual(["status conditions [] type"]);
  });
});

test("every field of the table changes what is seen somewhere", () => {
  const effective = new Set<string>();
  for (const make of [fullPod, singleAddressPod]) {
    for (const path of leaves(make())) if (changesWhatIsSeen(make, path)) effective.add(shape(path));
  }
  expect([...inTable.keys()].filter((path) => !effective.has(path))).toEqual([]);
});

test("the conditions in the table hold", () => {
  const effect = (path: Path): boolean => changesWhatIsSeen(fullPod, path);
  expect(effect(["status", "conditions", 1, "status"])).toBe(true);
  expect(effect(["status", "conditions", 0, "status"])).toBe(false);
  expect(effect(["status", "conditions", 1, "type"])).toBe(true);
  expect(effect(["spec", "initContainers", 0, "ports", 0, "name"])).toBe(true);
  expect(effect(["spec", "initContainers", 1, "ports", 0, "name"])).toBe(false);
  expect(effect(["status", "podIP"])).toBe(false);
  expect(changesWhatIsSeen(singleAddressPod, ["status", "podIP"])).toBe(true);
});
