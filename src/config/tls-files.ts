import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import type { GatewayTlsConfig } from "../config.ts";
import { fileFault, type ReadFile } from "./file.ts";
import { Secret } from "./secret.ts";

/** What the files of `gateway.tls` held when they were read. */
export interface TlsMaterial {
  /** PEM; undefined: the authorities that Node trusts. */
  readonly ca: string | undefined;
  /** PEM, the chain. */
  readonly cert: string | undefined;
  /** PEM. */
  readonly key: Secret | undefined;
  readonly serverName: string | undefined;
}

/** `key` is that of the section; `fault` follows its value in a problem line. */
interface TlsProblem {
  readonly key: "caFile" | "certFile" | "keyFile";
  readonly fault: string;
}

export type TlsReading =
  | { readonly ok: true; readonly material: TlsMaterial }
  | { readonly ok: false; readonly problems: readonly TlsProblem[] };

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads and judges every file of `gateway.tls`. No problem quotes what a file holds. */
export function readTlsFiles(tls: GatewayTlsConfig, readFile: ReadFile): TlsReading {
  const problems: TlsProblem[] = [];
  const read = <T>(key: TlsProblem["key"], judge: (text: string) => T | string): T | undefined => {
    const path = tls[key];
    if (path === undefined) return undefined;
    let found: T | string;
    try {
      found = judge(readFile(path));
    } catch (error) {
      found = `cannot be read: ${fileFault(error)}`;
    }
    if (typeof found !== "string") return found;
    problems.push({ key, fault: found });
    return undefined;
  };
  const ca = read("caFile", certificates);
  const cert = read("certFile", certificates);
  const key = read("keyFile", privateKey);
  const leaf = cert?.leaf;
  if (leaf !== undefined && key !== undefined && !leaf.checkPrivateKey(key.parsed))
    problems.push({ key: "keyFile", fault: "is not the key of the certificate in certFile" });
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    material: { ca: ca?.text, cert: cert?.text, key: key?.secret, serverName: tls.serverName },
  };
}

/** A sentence's end where the text is no list of certificates. */
function certificates(text: string): { readonly text: string; readonly leaf: X509Certificate } | string {
  const found = text.match(pemCertificate) ?? [];
  if (found.length === 0) return "holds no certificate in PEM";
  const parsed: X509Certificate[] = [];
  for (const [index, each] of found.entries()) {
    try {
      parsed.push(new X509Certificate(each));
    } catch {
      return `holds a certificate that cannot be read (number ${index + 1})`;
    }
  }
  const [leaf] = parsed;
  return leaf === undefined ? "holds no certificate in PEM" : { text, leaf };
}

/** OpenSSL's reasons may quote; none is passed on. */
function privateKey(text: string): { readonly secret: Secret; readonly parsed: KeyObject } | string {
  try {
    return { secret: new Secret(text), parsed: createPrivateKey({ key: text, format: "pem" }) };
  } catch {
    return "holds no private key in PEM that can be read without a passphrase";
  }
}
