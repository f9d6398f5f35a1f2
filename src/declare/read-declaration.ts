import type { Declaration, Share, SourceKind } from "./declaration.ts";
import { dnsLabelPattern, isDnsLabel } from "./dns-label.ts";
import { maxInteger } from "./gateway-number.ts";
import { readPlugins } from "./read-plugins.ts";
import {
  hasTooManyPairs,
  maxPairs,
  readHosts,
  readMethods,
  readRewrite,
  readUris,
} from "./read-route-fields.ts";
import {
  readHealthCheck,
  readLoadBalancer,
  readPassHost,
  readPort,
  readTimeout,
} from "./read-upstream-fields.ts";
import { makeReader, optional, readBoolean, readInteger, readOneOf, required } from "./read-value.ts";
import type { Fields, Reader, Report } from "./read-value.ts";

/** The fields of a declaration, in the order of PRODUCT.md's table. */
export const fieldNames = [
  "name",
  "port",
  "host",
  "hosts",
  "uri",
  "uris",
  "methods",
  "priority",
  "websocket",
  "rewrite",
  "plugins",
  "scheme",
  "timeout",
  "retries",
  "passHost",
  "loadBalancer",
  "healthCheck",
  "share",
  "via",
  "publishNotReady",
  "protocol",
] as const;

export type FieldName = (typeof fieldNames)[number];

export const readName: Reader<string> = makeReader(
  { type: "string", pattern: `^${dnsLabelPattern}$` },
  (value, field, report) =>
    typeof value === "string" && isDnsLabel(value)
      ? value
      : report(field, value, "allowed is a DNS label: 1 to 63 of a-z, 0-9 and -, no - at its start or end"),
);

/** For a Service `cluster` is read as `none` (PRODUCT.md, "Groups"). */
export function readShare(kind: SourceKind | undefined): Reader<Share> {
  const read = readOneOf<Share>(["none", "cluster", "fleet"]);
  return makeReader(read.schema, (value, field, report) => {
    const share = read(value, field, report);
    return kind === "service" && share === "cluster" ? "none" : share;
  });
}

/**
 * Reads every known field of an entry, reports what is wrong, and fills the defaults that need no source. The result
 * is meaningful only if nothing was reported.
 */
export function readDeclaration(
  fields: Fields,
  name: string | undefined,
  kind: SourceKind | undefined,
  report: Report,
): Declaration | undefined {
  const port = required(fields, "port", readPort(kind), report);
  const rewrite = optional(fields, "rewrite", readRewrite, report);
  const plugins = optional(fields, "plugins", readPlugins, report) ?? {};
  if (fields.has("rewrite") && Object.hasOwn(plugins, "proxy-rewrite")) {
    report("rewrite", fields.get("rewrite"), "plugins has proxy-rewrite too; allowed is one of the two");
  }
  optional(fields, "protocol", readProtocol, report);
  const hosts = readHosts(fields, report);
  const uris = readUris(fields, report);
  if (hasTooManyPairs(hosts, uris)) {
    report(
      "hosts",
      hosts,
      `hosts times uris is over ${maxPairs}; allowed are ${maxPairs} pairs in one entry`,
    );
  }
  const rest = {
    hosts,
    uris,
    methods: optional(fields, "methods", readMethods, report),
    priority: optional(fields, "priority", readPriority, report) ?? 0,
    websocket: optional(fields, "websocket", readBoolean, report) ?? false,
    rewrite,
    plugins,
    scheme: optional(fields, "scheme", readScheme, report) ?? "http",
    timeout: optional(fields, "timeout", readTimeout, report),
    retries: optional(fields, "retries", readRetries, report) ?? 1,
    passHost: optional(fields, "passHost", readPassHost, report) ?? { mode: "pass" },
    loadBalancer: optional(fields, "loadBalancer", readLoadBalancer, report) ?? "roundrobin",
    healthCheck: optional(fields, "healthCheck", readHealthCheck, report),
    share: optional(fields, "share", readShare(kind), report),
    via: optional(fields, "via", readVia(kind), report) ?? "endpoint",
    publishNotReady: optional(fields, "publishNotReady", readBoolean, report) ?? false,
  } as const;
  return name === undefined || port === undefined ? undefined : { name, port, ...rest };
}

export const readPriority = readInteger(-maxInteger, maxInteger);
export const readRetries = readInteger(0, 10);
export const readScheme = readOneOf(["http", "https", "grpc", "grpcs"]);

export function readVia(kind: SourceKind | undefined): Reader<"endpoint" | "nodePort"> {
  const read = readOneOf(["endpoint", "nodePort"]);
  return makeReader(read.schema, (value, field, report) =>
    kind === "pod" && value === "nodePort"
      ? report(field, value, "only a Service has node ports; allowed for a Pod is endpoint")
      : read(value, field, report),
  );
}

export const readProtocol: Reader<"http"> = makeReader({ const: "http" }, (value, field, report) => {
  if (value === "http") return value;
  const later = value === "tcp" || value === "udp" || value === "tls";
  return report(field, value, later ? "stream routes come later; allowed is http" : "allowed is http");
});
