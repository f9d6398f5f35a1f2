import { isIP, isIPv6 } from "node:net";
import type { ListenAddress } from "../config.ts";
import { isDnsLabel } from "../declare/dns-label.ts";
import { isLabelGlob, parseHostPattern } from "../declare/host-pattern.ts";
import { refused, type Rule } from "./shape.ts";

/** RFC 1123, as Kubernetes' names are. */
export const dnsLabel: Rule<string> = {
  allowed: "a DNS label: 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit",
  parse: (value) => (typeof value === "string" && isDnsLabel(value) ? value : refused),
};

export const dnsSubdomain: Rule<string> = {
  allowed: "a DNS name of at most 253 characters",
  parse: (value) => (typeof value === "string" && isSubdomain(value) ? value : refused),
};

const isSubdomain = (value: string): boolean => value.length <= 253 && value.split(".").every(isDnsLabel);

/**
 * Where the Admin API is, as an origin. The Admin API's own path is ours to add; credentials do not belong in a URL, and
 * a URL that may hold some is not printed.
 */
export const adminUrl: Rule<string> = {
  allowed: "an http or https URL with no credentials, path, query or fragment, as http://apisix-admin:9180",
  parse(value) {
    // URL.parse drops spaces and control characters where it finds them, so it would accept what nobody meant.
    if (typeof value !== "string" || !/^https?:\/\/[^\s\\@?#]+$/i.test(value)) return refused;
    const url = URL.parse(value);
    return url === null || url.pathname !== "/" || url.hostname === "" || url.port === "0"
      ? refused
      : url.origin;
  },
  conceals: (value) => typeof value === "string" && /[@?#]/.test(value),
};

/** `host:port`, IPv6 in brackets. */
export const listenAddress: Rule<ListenAddress> = {
  allowed: "host:port, as 127.0.0.1:8080 or [::1]:8080",
  parse: (value) => (typeof value === "string" ? (addressOf(value) ?? refused) : refused),
};

/** `""`, `host` or `host:port`. */
export const advertisedAddress: Rule<string> = {
  allowed: "empty, or host or host:port, as 10.0.0.5:8080 (IPv6 in brackets)",
  parse(value) {
    if (value === "") return "";
    if (typeof value !== "string") return refused;
    return (addressOf(value) ?? addressOf(`${value}:1`)) ? value : refused;
  },
};

function addressOf(value: string): ListenAddress | undefined {
  const [, bracketed, bare, digits] = /^(?:\[([^\]]*)\]|([^:[\]]+)):(\d{1,5})$/.exec(value) ?? [];
  const port = Number(digits);
  const host = bracketed ?? bare;
  if (host === undefined || !(port <= 65_535)) return undefined;
  const good = bracketed === undefined ? isIP(host) === 4 || isSubdomain(host.toLowerCase()) : isIPv6(host);
  return good ? { host, port } : undefined;
}

/** A DNS label with `*` for any part of it. */
export const labelGlob: Rule<string> = {
  allowed: "a DNS label, in which * stands for any part, as team-*",
  parse: (value) => (typeof value === "string" && isLabelGlob(value) ? value : refused),
};

/** A lower-case host of glob labels, `**.` in front for any depth. */
export const hostGlob: Rule<string> = {
  allowed:
    "a lower-case host name; * stands for any part of one DNS label, **. in front for any depth, as **.example.com",
  parse: (value) => (typeof value === "string" && parseHostPattern(value) !== undefined ? value : refused),
};

const qualifiedName = /^(?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

/** Equality terms of a Kubernetes label selector; the API server would refuse anything else at run time. */
export const labelSelector: Rule<string> = {
  allowed: "label=value, several joined by commas",
  parse(value) {
    if (typeof value !== "string" || value.length > 1000) return refused;
    const good = value.split(",").every((term) => {
      const [name, wanted, ...more] = term.split("=");
      return (
        more.length === 0 && qualifiedName.test(name ?? "") && wanted !== undefined && labelValue.test(wanted)
      );
    });
    return good ? value : refused;
  },
};
