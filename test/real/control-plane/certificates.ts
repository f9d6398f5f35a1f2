import { generateKeyPairSync } from "node:crypto";
import { generate } from "selfsigned";

/** PEM texts. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const anHour = 3_600_000;
const algorithm = { keyType: "ec", curve: "P-256", algorithm: "sha256" } as const;

function validity(): { notBeforeDate: Date; notAfterDate: Date } {
  // An hour back: a clock that is set while a test runs must not make it "not yet valid".
  return { notBeforeDate: new Date(Date.now() - anHour), notAfterDate: new Date(Date.now() + 24 * anHour) };
}

/** A certificate authority of its own, valid for a day. */
export async function createAuthority(commonName: string): Promise<KeyPair> {
  const made = await generate([{ name: "commonName", value: commonName }], {
    ...algorithm,
    ...validity(),
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** A certificate for servers on 127.0.0.1 and localhost. */
export async function issueServingCertificate(authority: KeyPair): Promise<KeyPair> {
  const made = await generate([{ name: "commonName", value: "localhost" }], {
    ...algorithm,
    ...validity(),
    ca: authority,
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** The key pair with which an API server signs and checks ServiceAccount tokens. */
export function createServiceAccountKeys(): { readonly publicKey: string; readonly privateKey: string } {
  return generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}
