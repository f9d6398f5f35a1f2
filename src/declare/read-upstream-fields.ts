import type {
  ChashBalancer,
  HealthCheck,
  LoadBalancer,
  PassHost,
  SourceKind,
  Timeout,
} from "./declaration.ts";
import { isContainerPortName, isDnsLabel } from "./dns-label.ts";
import { readHost } from "./read-route-fields.ts";
import { isObject, optional, readFields, readInteger, readOneOf, required } from "./read-value.ts";
import type { Read } from "./read-value.ts";

const maxSeconds = 3600;
const maxKeyLength = 256;
const maxProbePathLength = 4096;

/** A port number, or the name of a container port (Pod) or Service port (Service); `undefined` allows both. */
export function readPort(kind: SourceKind | undefined): Read<number | string> {
  const isName = kind === "pod" ? isContainerPortName : isDnsLabel;
  const owner = kind === "pod" ? "container port" : kind === "service" ? "Service port" : "port";
  const allowed = `allowed is an integer from 1 to 65535, or the name of a ${owner}`;
  const readNumber = readInteger(1, 65535);
  return (value, field, report) => {
    if (typeof value === "string") return isName(value) ? value : report(field, value, allowed);
    return readNumber(value, field, () => report(field, value, allowed));
  };
}

export const readTimeout: Read<Timeout> = (value, field, report) => {
  const fields = readFields(value, field, report, ["connect", "send", "read"]);
  if (fields === undefined) return undefined;
  const connect = required(fields, "connect", readSeconds, report, field);
  const send = required(fields, "send", readSeconds, report, field);
  const read = required(fields, "read", readSeconds, report, field);
  if (connect === undefined || send === undefined || read === undefined) return undefined;
  return { connect, send, read };
};

const readSeconds: Read<number> = (value, field, report) =>
  typeof value === "number" && value > 0 && value <= maxSeconds
    ? value
    : report(field, value, `allowed is a number of seconds over 0 and up to ${maxSeconds}`);

export const readPassHost: Read<PassHost> = (value, field, report) => {
  if (value === "pass" || value === "node") return { mode: value };
  const allowed = "allowed is pass, node, or a host name";
  if (typeof value !== "string") return report(field, value, allowed);
  const host = readHost(value, field, report);
  if (host === undefined) return undefined;
  // Such a host would reach the backends as it is.
  return host.startsWith("*.")
    ? report(field, value, `a wildcard is no host name; ${allowed}`)
    : { mode: "rewrite", host };
};

const readAlgorithm = readOneOf(["roundrobin", "least_conn", "ewma"]);

export const readLoadBalancer: Read<LoadBalancer> = (value, field, report) => {
  if (!isObject(value)) {
    const reason = "allowed is roundrobin, least_conn, ewma, or an object with chash";
    return readAlgorithm(value, field, () => report(field, value, reason));
  }
  const fields = readFields(value, field, report, ["chash"]);
  return fields && required(fields, "chash", readChash, report, field);
};

const readHashOn = readOneOf(["vars", "header", "cookie", "consumer", "vars_combinations"]);

const readChash: Read<ChashBalancer> = (value, field, report) => {
  const fields = readFields(value, field, report, ["hashOn", "key"]);
  if (fields === undefined) return undefined;
  const hashOn = required(fields, "hashOn", readHashOn, report, field);
  // APISIX takes the consumer's name and reads no key then.
  if (hashOn === "consumer" && !fields.has("key")) return { chash: { hashOn, key: "consumer_name" } };
  const key = required(fields, "key", readKey, report, field);
  return hashOn === undefined || key === undefined ? undefined : { chash: { hashOn, key } };
};

const readKey: Read<string> = (value, field, report) =>
  typeof value === "string" && value.length > 0 && value.length <= maxKeyLength
    ? value
    : report(field, value, `allowed is a text of 1 to ${maxKeyLength} characters`);

/** Bounds: APISIX's schema of `checks.active`. */
export const readHealthCheck: Read<HealthCheck> = (value, field, report) => {
  const fields = readFields(value, field, report, ["path", "interval", "healthy", "unhealthy"]);
  if (fields === undefined) return undefined;
  const path = required(fields, "path", readProbePath, report, field);
  const interval = optional(fields, "interval", readInteger(1, Number.MAX_SAFE_INTEGER), report, field) ?? 2;
  const healthy = optional(fields, "healthy", readInteger(1, 254), report, field) ?? 1;
  const unhealthy = optional(fields, "unhealthy", readInteger(1, 254), report, field) ?? 3;
  return path === undefined ? undefined : { path, interval, healthy, unhealthy };
};

/** The path of a probe is sent as it is, in a request line: query and escapes are welcome, spaces and line ends are not. */
const readProbePath: Read<string> = (value, field, report) =>
  typeof value === "string" && value.length <= maxProbePathLength && /^\/[!"$-~]*$/.test(value)
    ? value
    : report(
        field,
        value,
        'allowed is a path such as "/healthz", in visible ASCII characters and without "#"',
      );
