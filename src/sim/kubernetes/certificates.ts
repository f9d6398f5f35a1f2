export interface ServerCertificates {
  /** PEM of the authority, for kubeconfigs. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

let made: Promise<ServerCertificates> | undefined;

/**
 * One authority and one server certificate (127.0.0.1, ::1, localhost) for all embedded servers of this process.
 * Elliptic curves: ~0.1 s for both, once, after ~0.3 s to load the library, which is why it is loaded here.
 */
export function serverCertificates(): Promise<ServerCertificates> {
  made ??= makeCertificates();
  return made;
}

async function makeCertificates(): Promise<ServerCertificates> {
  const { generate } = await import("selfsigned");
  const common = { keyType: "ec", algorithm: "sha256" } as const;
  const authority = await generate([{ name: "commonName", value: "embedded-kubernetes-ca" }], {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  const server = await generate([{ name: "commonName", value: "kube-apiserver" }], {
    ...common,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
          { type: 7, ip: "::1" },
        ],
      },
    ],
  });
  return { ca: authority.cert, cert: server.cert, key: server.private };
}
