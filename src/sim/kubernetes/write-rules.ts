import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "./kube-object.ts";
import type { KubeStatus } from "./kube-status.ts";
import { objectStatus } from "./object-status.ts";
import { resourceRows, type ResourceName } from "./resources.ts";

/** An object of JSON as a client sent it. */
export type Json = Readonly<Record<string, unknown>>;

interface InvalidField {
  readonly field: string;
  /** As `Invalid value: 0: must be greater than 0`. */
  readonly message: string;
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** MicroTime: exactly six digits of a second (seen on 1.37.2). */
const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/;

/** Why the body cannot be read as the kind at all (400). */
export function malformedField(resource: ResourceName, body: Json): string | undefined {
  const { kind } = resourceRows[resource];
  const spec = recordOf(body["spec"]);
  const times =
    resource === "leases"
      ? [spec["acquireTime"], spec["renewTime"]]
      : [body["eventTime"], recordOf(body["series"])["lastObservedTime"]];
  const wrong = times.find((time) => time !== undefined && time !== null && !isMicroTime(time));
  if (wrong !== undefined)
    return `${kind} in version "v1" cannot be handled as a ${kind}: parsing time ${JSON.stringify(wrong)} as "2006-01-02T15:04:05.000000Z07:00": cannot parse`;
  const numbers = resource === "leases" ? [spec["leaseDurationSeconds"], spec["leaseTransitions"]] : [];
  return numbers.every((each) => each === undefined || each === null || Number.isInteger(each))
    ? undefined
    : `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal into Go value of type int32`;
}

/** What a reader of the kind finds wrong in it (422). */
export function invalidFields(
  resource: ResourceName,
  name: string,
  body: Json,
  stands: KubeObject | undefined,
): readonly InvalidField[] {
  const named = nameFault(name);
  if (named !== undefined) return [named];
  return resource === "leases" ? leaseFaults(recordOf(body["spec"])) : eventFaults(body, stands);
}

export function invalidStatus(
  resource: ResourceName,
  name: string,
  fields: readonly InvalidField[],
): KubeStatus {
  const said = fields.map(({ field, message }) => `${field}: ${message}`);
  const status = objectStatus(422, resource, name, "");
  const why = said.length === 1 ? said[0] : `[${said.join(", ")}]`;
  return { ...status, message: `${status.message.trimEnd()} is invalid: ${why}` };
}

function nameFault(name: string): InvalidField | undefined {
  const field = "metadata.name";
  if (name === "") return { field, message: "Required value: name or generateName is required" };
  if (name.length <= 253 && subdomain.test(name)) return undefined;
  return { field, message: `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of …` };
}

function leaseFaults({
  leaseDurationSeconds: duration,
  leaseTransitions: transitions,
}: Json): InvalidField[] {
  return [
    ...(typeof duration === "number" && duration <= 0
      ? [
          {
            field: "spec.leaseDurationSeconds",
            message: `Invalid value: ${duration}: must be greater than 0`,
          },
        ]
      : []),
    ...(typeof transitions === "number" && transitions < 0
      ? [
          {
            field: "spec.leaseTransitions",
            message: `Invalid value: ${transitions}: must be greater than or equal to 0`,
          },
        ]
      : []),
  ];
}

const requiredOfEvents = [
  "eventTime",
  "reportingController",
  "reportingInstance",
  "action",
  "reason",
] as const;
const longestOfEvents = { note: 1024, reason: 128, action: 128, reportingInstance: 128 } as const;

function eventFaults(body: Json, stands: KubeObject | undefined): InvalidField[] {
  const faults: InvalidField[] = [];
  for (const field of requiredOfEvents)
    if ((body[field] ?? "") === "") faults.push({ field, message: "Required value" });
  for (const [field, longest] of Object.entries(longestOfEvents)) {
    const value = body[field];
    if (typeof value === "string" && Buffer.byteLength(value) > longest)
      faults.push({ field, message: `Invalid value: "": can have at most ${longest} characters` });
  }
  const { type, series } = body;
  if (type !== "Normal" && type !== "Warning")
    faults.push({ field: "type", message: `Invalid value: "": has invalid value: ${String(type)}` });
  const count = recordOf(series)["count"];
  if (series !== undefined && series !== null && !(typeof count === "number" && count >= 2))
    faults.push({ field: "series.count", message: `Invalid value: "": should be at least 2` });
  if (stands !== undefined) faults.push(...changedFields(body, { ...stands }));
  return faults;
}

/** Of an Event only `series` may change. */
function changedFields(body: Json, stands: Json): InvalidField[] {
  const { metadata: _standing, ...before } = stands;
  const changeable = new Set(["metadata", "kind", "apiVersion", "series"]);
  return [...new Set([...Object.keys(body), ...Object.keys(before)])]
    .filter((field) => !changeable.has(field) && !isDeepStrictEqual(body[field], before[field]))
    .map((field) => ({ field, message: "Invalid value: field is immutable" }));
}

const isMicroTime = (value: unknown): boolean => typeof value === "string" && microTime.test(value);

const recordOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
