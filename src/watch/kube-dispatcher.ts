import { createSecureContext, type ConnectionOptions } from "node:tls";
import { Agent, ProxyAgent, type Dispatcher } from "undici";
import type { KubeAccess } from "./kube-access.ts";
import type { KubeTls } from "./kube-tls.ts";

const connectTimeout = 10_000;
/** A half-open socket shows itself from 20 s of quiet on. */
const tcpKeepAlive = { keepAlive: true, keepAliveInitialDelay: 20_000 };

/**
 * The sockets of one session. HTTP/1.1 on purpose (docs/decisions/0011): a watch of its own socket each is cheapest for
 * busy clusters, and one stalled stream stalls no other.
 *
 * The number of sockets has no limit, so no watch can keep a list waiting; it is small all the same, since each kind has
 * at most a watch, a list and a probe at a time.
 */
export function kubeDispatcher({ proxy, tls }: Pick<KubeAccess, "proxy" | "tls">): Dispatcher {
  const sockets = {
    allowH2: false,
    pipelining: 1,
    connectTimeout,
    // Longer than the 20 s between probes, shorter than the 3 minutes after which Go servers hang up.
    keepAliveTimeout: 90_000,
    maxHeaderSize: 16 * 1024,
  };
  const connect = { ...given(tls), ...tcpKeepAlive, allowH2: false, timeout: connectTimeout };
  if (proxy === undefined) return new Agent({ ...sockets, connect });
  return new ProxyAgent({
    ...sockets,
    uri: proxy.href,
    requestTls: connect,
    proxyTls: { ...tcpKeepAlive, allowH2: false, timeout: connectTimeout },
  });
}

type TlsOptions = Pick<ConnectionOptions, "secureContext" | "servername" | "rejectUnauthorized">;

/**
 * Node takes an option that is there and undefined for a value. What certificates are read into is made once: it costs as
 * much as a handshake.
 */
function given({ ca, cert, key, servername, rejectUnauthorized }: KubeTls): TlsOptions {
  const certificates = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  return {
    rejectUnauthorized,
    ...(ca === undefined && cert === undefined ? {} : { secureContext: createSecureContext(certificates) }),
    ...(servername === undefined ? {} : { servername }),
  };
}
