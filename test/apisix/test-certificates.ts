import { generate } from "selfsigned";

interface Issued {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

export interface TestAuthority {
  readonly ca: string;
  /** A certificate for these DNS names. */
  issue(commonName: string, names?: readonly string[]): Promise<Issued>;
}

const common = { keyType: "ec", algorithm: "sha256" } as const;

/** An authority of its own, as a platform team runs one for its Admin API. */
export async function testAuthority(name: string): Promise<TestAuthority> {
  const authority = await generate([{ name: "commonName", value: name }], {
    ...common,
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  return {
    ca: authority.cert,
    async issue(commonName, names = []) {
      const issued = await generate([{ name: "commonName", value: commonName }], {
        ...common,
        ca: { key: authority.private, cert: authority.cert },
        extensions: [
          { name: "basicConstraints", cA: false, critical: true },
          { name: "keyUsage", digitalSignature: true, critical: true },
          { name: "extKeyUsage", serverAuth: true, clientAuth: true },
          ...(names.length === 0
            ? []
            : [
                {
                  name: "subjectAltName" as const,
                  altNames: names.map((value) => ({ type: 2 as const, value })),
                },
              ]),
        ],
      });
      return { cert: issued.cert, key: issued.private };
    },
  };
}
