import { describe, expect, test } from "vitest";
import { protobufEncoder } from "../../../../src/sim/kubernetes/protobuf/protobuf-encoder.ts";
import { wireMessage } from "../../../../src/sim/kubernetes/protobuf/wire-messages.ts";
import { wireSchema } from "../../../../src/sim/kubernetes/protobuf/wire-schema.ts";
import { writeMessage } from "../../../../src/sim/kubernetes/protobuf/write-message.ts";
import { WireWriter } from "../../../../src/sim/kubernetes/protobuf/wire-writer.ts";
import { resourceRows } from "../../../../src/sim/kubernetes/resources.ts";
import { recordedFrame, recordedObject, recordings } from "../../../protobuf/recordings.ts";
import { differences } from "./wire-tree.ts";

/**
 * The recorded frames are of an older server: it still wrote metadata.clusterName, and knew neither a condition's nor a
 * status's observedGeneration, nor status.resize.
 */
const otherVersion = ["/2/1/2/1/15", "/2/1/2/3/14", "/2/1/2/3/17", "/2/1/2/3/2/7"];

describe.each(recordings)("$kind $variant", ({ kind, variant }) => {
  test("is written as a real API server wrote it", () => {
    const frame = Buffer.from(
      protobufEncoder.frame("MODIFIED", resourceRows[kind], recordedObject(kind, variant)),
    );
    const recorded = recordedFrame(kind, variant);
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    expect(differences(frame.subarray(4), recorded.subarray(4), otherVersion)).toEqual([]);
  });
});

test("every type that the schema names is in it", () => {
  const simple = ["string", "bool", "int32", "int64", "Time", "Quantity", "FieldsV1", "IntOrString"];
  const unknown = Object.keys(wireSchema).flatMap((name) =>
    wireMessage(name)!
      .fields.filter(({ type }) => !simple.includes(type) && wireMessage(type) === undefined)
      .map(({ type }) => `${name}: ${type}`),
  );
  expect(unknown).toEqual([]);
});

test("a field that the schema lacks, or of another type, is refused", () => {
  const write = (value: object) => () => writeMessage(new WireWriter(), "Pod", value);
  expect(write({ spec: { colour: "red" } })).toThrow("PodSpec has no field colour");
  expect(write({ status: { phase: 7 } })).toThrow("phase is not a string");
});
