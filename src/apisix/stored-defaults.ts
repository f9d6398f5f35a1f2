import type { Json } from "./types.ts";

/**
 * Fields that an APISIX older than 3.14 adds to an object when it stores it, with the value that means "absent". Paths
 * are keys joined by a dot; `[]` stands for every item of an array.
 *
 * Source: the `default`s in `apisix/schema_def.lua` and `apisix/plugins/proxy-rewrite.lua` of apache/apisix (release
 * branches 3.0 to 3.18), for everything that the translator writes. Which version stores them: FACTS-APISIX.md.
 */
export const storedDefaults: ReadonlyMap<string, Json> = new Map<string, Json>([
  // Upstream.
  ["type", "roundrobin"],
  ["hash_on", "vars"],
  ["scheme", "http"],
  ["pass_host", "pass"],
  ["nodes.[].priority", 0],
  ["checks.active.type", "http"],
  ["checks.active.timeout", 1],
  ["checks.active.concurrency", 10],
  ["checks.active.http_method", "GET"],
  ["checks.active.http_path", "/"],
  ["checks.active.http_req_body", ""],
  ["checks.active.https_verify_certificate", true],
  ["checks.active.healthy.interval", 1],
  ["checks.active.healthy.successes", 2],
  ["checks.active.healthy.http_statuses", [200, 302]],
  ["checks.active.unhealthy.interval", 1],
  ["checks.active.unhealthy.http_failures", 5],
  ["checks.active.unhealthy.tcp_failures", 2],
  ["checks.active.unhealthy.timeouts", 3],
  ["checks.active.unhealthy.http_statuses", [429, 404, 500, 501, 502, 503, 504, 505]],
  // Route.
  ["priority", 0],
  ["status", 1],
  ["plugins.proxy-rewrite.use_real_request_uri_unsafe", false],
]);
