import type { GatewayTlsConfig } from "../config.ts";
import type { ReadFile } from "./file.ts";
import { shown, type Problems } from "./problems.ts";
import { readTlsFiles, type TlsMaterial } from "./tls-files.ts";

const section = "gateway.tls";

const allowed = {
  caFile: "a file of certificates in PEM",
  certFile: "a file that holds the client's certificate in PEM, beside keyFile",
  keyFile: "a file that holds the client's private key in PEM, beside certFile",
};

/** Judges `gateway.tls`: against the URLs, key against key, and each file by what it holds, which is returned. */
export function readGatewayTls(
  gateway: { readonly adminUrls: readonly string[]; readonly tls: GatewayTlsConfig | undefined },
  readFile: ReadFile,
  problems: Problems,
): TlsMaterial | undefined {
  const { adminUrls, tls } = gateway;
  if (tls === undefined || Object.values(tls).every((value) => value === undefined)) return undefined;
  const at = adminUrls.map((_, index) => `gateway.adminUrls[${index}]`);
  const isPlain = !adminUrls.some((url) => url.startsWith("https:"));
  if (problems.clean(section, "gateway.adminUrls", ...at) && adminUrls.length > 0 && isPlain)
    problems.add(section, "is of no use: no URL of gateway.adminUrls is https; allowed: only beside one");
  for (const [key, other] of [
    ["certFile", "keyFile"],
    ["keyFile", "certFile"],
  ] as const) {
    const isAlone = tls[key] !== undefined && tls[other] === undefined;
    if (isAlone && problems.clean(`${section}.${other}`))
      problems.add(`${section}.${other}`, `is missing; allowed: ${allowed[other]}`);
  }
  const reading = readTlsFiles(tls, readFile);
  if (reading.ok) return reading.material;
  for (const { key, fault } of reading.problems) {
    const path = `${section}.${key}`;
    if (problems.clean(path))
      problems.add(path, `got ${shown(tls[key])}, which ${fault}; allowed: ${allowed[key]}`);
  }
  return undefined;
}
