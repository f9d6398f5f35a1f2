import { expect, test } from "vitest";
import type { ConsumedField } from "../../src/filter/consumed.ts";
import type { Projected } from "../../src/filter/project-source.ts";
import { WireBytes } from "../../src/protobuf/wire-bytes.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { protobufEncoder } from "../../src/sim/kubernetes/protobuf/protobuf-encoder.ts";
import { resourceRows } from "../../src/sim/kubernetes/resources.ts";
import type { Kind } from "../../src/watch/events.ts";
import { readEnvelope } from "../../src/watch/protobuf/envelope.ts";
import { readers } from "../protobuf/readers.ts";
import { withValue, type Json } from "./labelled-pod.ts";

export type Path = readonly (string | number)[];

export interface ConsumedCases {
  readonly kind: Kind;
  readonly fields: readonly ConsumedField[];
  readonly project: (value: unknown) => Projected<unknown>;
  /** Objects that have, together, something in every field of the table. Fresh ones each time. */
  readonly makes: readonly (() => Json)[];
  /** Fields of which only presence counts: they are taken away instead of changed. */
  readonly onlyPresence?: readonly string[];
  /** Another value that the field may have, where one of the same type is none. */
  readonly others?: Readonly<Record<string, (value: unknown) => unknown>>;
  /** Fields without a condition that say nothing at some places, all the same. */
  readonly silentSomewhere?: readonly string[];
}

/** Proves that a table and the projection that it is of agree: every field of the table counts, no other does. */
export class Consumed {
  readonly #cases: ConsumedCases;
  readonly #table: ReadonlyMap<string, ConsumedField>;

  constructor(cases: ConsumedCases) {
    this.#cases = cases;
    this.#table = new Map(cases.fields.map((field) => [field.path.join(" "), field]));
  }

  test(leastOutside: number): void {
    const { makes, silentSomewhere = [] } = this.#cases;
    test.each(makes.map((make, index) => [index, make] as const))(
      "object %i: no field outside the table changes what is seen",
      (_index, make) => {
        const outside = [...leaves(make())].filter((path) => !this.#table.has(shape(path)));
        expect(outside.length).toBeGreaterThan(leastOutside);
        expect(outside.filter((path) => this.changes(make, path)).map(shape)).toEqual([]);
      },
    );

    test.each(makes.map((make, index) => [index, make] as const))(
      "object %i: a field of the table without a condition always does",
      (_index, make) => {
        const always = [...leaves(make())].filter((path) => {
          const field = this.#table.get(shape(path));
          return field !== undefined && field.when === undefined;
        });
        const silent = new Set(always.filter((path) => !this.changes(make, path)).map(shape));
        expect([...silent].filter((path) => !silentSomewhere.includes(path))).toEqual([]);
      },
    );

    test.each(makes.map((make, index) => [index, make] as const))(
      "object %i: on the wire, a field of the table changes the fingerprint, and no other does",
      (_index, make) => {
        const made = make();
        const before = this.#fingerprint(made);
        for (const path of leaves(made)) {
          const value = valueAt(made, path);
          if (value === null) continue;
          const after = this.#fingerprint(withValue(structuredClone(made), path, other(value)));
          expect([shape(path), after !== before]).toEqual([shape(path), this.#table.has(shape(path))]);
        }
      },
    );

    test("every field of the table changes what is seen somewhere", () => {
      const effective = new Set<string>();
      for (const make of makes) {
        for (const path of leaves(make())) if (this.changes(make, path)) effective.add(shape(path));
      }
      expect([...this.#table.keys()].filter((path) => !effective.has(path))).toEqual([]);
    });
  }

  /** Whether another value at this path changes what leaves the filter. */
  changes(make: () => Json, path: Path): boolean {
    const { onlyPresence = [], others = {} } = this.#cases;
    const value = valueAt(make(), path);
    const next = onlyPresence.includes(shape(path)) ? undefined : (others[shape(path)] ?? other)(value);
    return this.#seen(withValue(make(), path, next)) !== this.#seen(make());
  }

  #fingerprint({ kind: _kind, apiVersion: _version, ...object }: Json): string {
    const { kind } = this.#cases;
    const row = resourceRows[kind];
    const bytes = Buffer.from(protobufEncoder.object(row, object as unknown as KubeObject));
    const { from, to } = readEnvelope(bytes, 0, bytes.length);
    return JSON.stringify(readers[kind].fingerprint(new WireBytes(bytes), from, to));
  }

  #seen(value: Json): string {
    const result = this.#cases.project(value);
    return result.ok ? JSON.stringify([result.enabled, result.projection]) : `malformed: ${result.reason}`;
  }
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

const valueAt = (object: Json, path: Path): unknown =>
  path.reduce<unknown>((at, step) => (at as Json)[step], object);

/** Another value of the same type, such as the field may have. */
function other(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return "set";
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return "2001-02-03T04:05:06Z";
  return /^[\d.]+$/.test(value) ? `${value}1` : `${value}-other`;
}

const shape = (path: Path): string => path.map((step) => (typeof step === "number" ? "[]" : step)).join(" ");
