import { isIPv6 } from "node:net";
import type { ListenAddress } from "../config.ts";

export interface AddressFacts {
  /** `observe.advertise`: `host`, `host:port`, or empty. */
  readonly advertise: string;
  /** Of the Pod, where this runs in one. */
  readonly podIp: string | undefined;
  readonly hostname: string;
  /** What `observe.listen` came to. */
  readonly listen: ListenAddress;
}

/** Where other instances and `explain` find this one's `observe.listen`: `host:port`, IPv6 in brackets. */
export function advertisedAddress({ advertise, podIp, hostname, listen }: AddressFacts): string {
  if (advertise !== "") {
    const hasPort = /:\d+$/.test(
      advertise.startsWith("[") ? advertise.slice(advertise.indexOf("]")) : advertise,
    );
    return hasPort ? advertise : `${advertise}:${listen.port}`;
  }
  const isEverywhere = listen.host === "0.0.0.0" || listen.host === "::";
  const host = isEverywhere ? podIp || hostname : listen.host;
  return `${isIPv6(host) ? `[${host}]` : host}:${listen.port}`;
}
