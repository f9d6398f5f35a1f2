import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { TranslatorError } from "../errors.ts";

/** How to trust a server, and a client certificate. PEM throughout. */
export interface KubeTls {
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** The name that the server's certificate must hold, where it is not the URL's host. */
  readonly servername: string | undefined;
  readonly rejectUnauthorized: boolean;
}

/**
 * The same, once it is known to be usable: a broken certificate should be named for what it is, not show itself as a
 * connection that fails.
 *
 * @param wall `Clock.wall()`: whether the client's certificate has ended.
 * @throws TranslatorError `KUBE_CREDENTIALS`
 */
export function checkedTls(tls: KubeTls, wall: number): KubeTls {
  const { ca, cert, key } = tls;
  if ((cert === undefined) !== (key === undefined)) {
    throw unusable(
      cert === undefined ? "a client key without its certificate" : "a client certificate without its key",
    );
  }
  if (ca !== undefined && !isCertificate(ca))
    throw unusable("a certificate authority that is no certificate in PEM");
  if (cert === undefined || key === undefined) return tls;
  try {
    createSecureContext({ cert, key });
  } catch {
    throw unusable("a client certificate and key that are not PEM or no pair");
  }
  const { validToDate } = new X509Certificate(cert);
  if (validToDate.getTime() < wall)
    throw unusable(`a client certificate that ended on ${validToDate.toISOString()}`);
  return tls;
}

function isCertificate(pem: Buffer): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

function unusable(what: string): TranslatorError {
  return new TranslatorError("KUBE_CREDENTIALS", `the kubeconfig has ${what}`);
}
