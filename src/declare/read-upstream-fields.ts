import type {
  ChashBalancer,
  HealthCheck,
  LoadBalancer,
  PassHost,
  SourceKind,
  Timeout,
} from "./declaration.ts";
import { dnsLabelPattern, isContainerPortName, isDnsLabel } from "./dns-label.ts";
import { gatewayNumber, maxInteger } from "./gateway-number.ts";
import { readHost } from "./read-route-fields.ts";
import {
  isObject,
  makeReader,
  objectSchema,
  optional,
  readFields,
  readInteger,
  readOneOf,
  required,
} from "./read-value.ts";
import type { Reader } from "./read-value.ts";

const maxSeconds = 3600;
const maxKeyLength = 256;
const maxProbePathLength = 4096;

/** A port number, or the name of a container port (Pod) or Service port (Service); `undefined` allows both. */
export function readPort(kind: SourceKind | undefined): Reader<number | string> {
  const isName = kind === "pod" ? isContainerPortName : isDnsLabel;
  const owner = kind === "pod" ? "container port" : kind === "service" ? "Service port" : "port";
  const allowed = `allowed is an integer from 1 to 65535, or the name of a ${owner}`;
  const readNumber = readInteger(1, 65535);
  // A Service port's names are the wider ones.
  const schema = { anyOf: [readNumber.schema, { type: "string", pattern: `^${dnsLabelPattern}$` }] };
  return makeReader(schema, (value, field, report) => {
    if (typeof value === "string") return isName(value) ? value : report(field, value, allowed);
    return readNumber(value, field, () => report(field, value, allowed));
  });
}

const readSeconds: Reader<number> = makeReader(
  { type: "number", exclusiveMinimum: 0, maximum: maxSeconds },
  (value, field, report) =>
    typeof value === "number" && value > 0 && value <= maxSeconds
      ? gatewayNumber(value)
      : report(field, value, `allowed is a number of seconds over 0 and up to ${maxSeconds}`),
);

const { schema: seconds } = readSeconds;
const timeoutSchema = objectSchema({ connect: seconds, send: seconds, read: seconds }, [
  "connect",
  "send",
  "read",
]);

export const readTimeout: Reader<Timeout> = makeReader(timeoutSchema, (value, field, report) => {
  const fields = readFields(value, field, report, ["connect", "send", "read"]);
  if (fields === undefined) return undefined;
  const connect = required(fields, "connect", readSeconds, report, field);
  const send = required(fields, "send", readSeconds, report, field);
  const read = required(fields, "read", readSeconds, report, field);
  if (connect === undefined || send === undefined || read === undefined) return undefined;
  return { connect, send, read };
});

const passHostSchema = { ...readHost.schema, not: { pattern: "^\\*" } };

export const readPassHost: Reader<PassHost> = makeReader(passHostSchema, (value, field, report) => {
  if (value === "pass" || value === "node") return { mode: value };
  const allowed = "allowed is pass, node, or a host name";
  if (typeof value !== "string") return report(field, value, allowed);
  const host = readHost(value, field, report);
  if (host === undefined) return undefined;
  // Such a host would reach the backends as it is.
  return host.startsWith("*.")
    ? report(field, value, `a wildcard is no host name; ${allowed}`)
    : { mode: "rewrite", host };
});

const readAlgorithm = readOneOf(["roundrobin", "least_conn", "ewma"]);

const readHashOn = readOneOf(["vars", "header", "cookie", "consumer", "vars_combinations"]);

const readKey: Reader<string> = makeReader(
  { type: "string", minLength: 1, maxLength: maxKeyLength },
  (value, field, report) =>
    typeof value === "string" && value.length > 0 && value.length <= maxKeyLength
      ? value
      : report(field, value, `allowed is a text of 1 to ${maxKeyLength} characters`),
);

const chashSchema = {
  ...objectSchema({ hashOn: readHashOn.schema, key: readKey.schema }, ["hashOn"]),
  anyOf: [{ required: ["key"] }, { properties: { hashOn: { const: "consumer" } } }],
};

const readChash: Reader<ChashBalancer> = makeReader(chashSchema, (value, field, report) => {
  const fields = readFields(value, field, report, ["hashOn", "key"]);
  if (fields === undefined) return undefined;
  const hashOn = required(fields, "hashOn", readHashOn, report, field);
  // APISIX takes the consumer's name and reads no key then.
  if (hashOn === "consumer" && !fields.has("key")) return { chash: { hashOn, key: "consumer_name" } };
  const key = required(fields, "key", readKey, report, field);
  return hashOn === undefined || key === undefined ? undefined : { chash: { hashOn, key } };
});

const loadBalancerSchema = {
  anyOf: [readAlgorithm.schema, objectSchema({ chash: readChash.schema }, ["chash"])],
};

export const readLoadBalancer: Reader<LoadBalancer> = makeReader(
  loadBalancerSchema,
  (value, field, report) => {
    if (!isObject(value)) {
      const reason = "allowed is roundrobin, least_conn, ewma, or an object with chash";
      return readAlgorithm(value, field, () => report(field, value, reason));
    }
    const fields = readFields(value, field, report, ["chash"]);
    return fields && required(fields, "chash", readChash, report, field);
  },
);

const probePathPattern = '^/[!"$-~]*$';
const probePath = new RegExp(probePathPattern);

/** The path of a probe is sent as it is, in a request line: query and escapes are welcome, spaces and line ends are not. */
const readProbePath: Reader<string> = makeReader(
  { type: "string", pattern: probePathPattern, maxLength: maxProbePathLength },
  (value, field, report) =>
    typeof value === "string" && value.length <= maxProbePathLength && probePath.test(value)
      ? value
      : report(
          field,
          value,
          'allowed is a path such as "/healthz", in visible ASCII characters and without "#"',
        ),
);

const readInterval = readInteger(1, maxInteger);
const readProbes = readInteger(1, 254);

const healthCheckSchema = objectSchema(
  {
    path: readProbePath.schema,
    interval: { ...readInterval.schema, default: 2 },
    healthy: { ...readProbes.schema, default: 1 },
    unhealthy: { ...readProbes.schema, default: 3 },
  },
  ["path"],
);

/** Bounds: APISIX's schema of `checks.active`. */
export const readHealthCheck: Reader<HealthCheck> = makeReader(healthCheckSchema, (value, field, report) => {
  const fields = readFields(value, field, report, ["path", "interval", "healthy", "unhealthy"]);
  if (fields === undefined) return undefined;
  const path = required(fields, "path", readProbePath, report, field);
  const interval = optional(fields, "interval", readInterval, report, field) ?? 2;
  const healthy = optional(fields, "healthy", readProbes, report, field) ?? 1;
  const unhealthy = optional(fields, "unhealthy", readProbes, report, field) ?? 3;
  return path === undefined ? undefined : { path, interval, healthy, unhealthy };
});
