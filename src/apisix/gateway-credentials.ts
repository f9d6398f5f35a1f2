import type { GatewayConfig } from "../config.ts";
import { adminKeyForm, isAdminKey, readAdminKey } from "../config/admin-key.ts";
import type { ReadFile } from "../config/file.ts";
import { Secret } from "../config/secret.ts";
import { readTlsFiles, type TlsMaterial } from "../config/tls-files.ts";
import { WatchedFiles, type FileReading, type WatchedFilesParts } from "../config/watched-files.ts";
import type { Clock, Log } from "../runtime.ts";

export interface GatewayCredentialsParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly readFile: ReadFile;
}

/** How we prove who we are to the Admin API, and it to us; follows the files that `gateway` names. */
export interface GatewayCredentials {
  adminKey(): string;
  /** The same object for as long as nothing has changed; undefined: TLS as Node has it. */
  tls(): TlsMaterial | undefined;
  close(): void;
}

/** What a file says now is used from the start, where it is good: this may be long after the configuration was read. */
export function openGatewayCredentials(
  gateway: GatewayConfig,
  parts: GatewayCredentialsParts,
): GatewayCredentials {
  const { adminKey, adminKeyFile, tls, tlsMaterial } = gateway;
  const { readFile } = parts;
  const key = watch({
    ...{ ...parts, what: "the admin key", paths: adminKeyFile === undefined ? [] : [adminKeyFile] },
    first: { value: adminKey, text: adminKey.reveal() },
    read: () => readKey(adminKeyFile ?? "", readFile),
  });
  const { caFile, certFile, keyFile } = tls ?? {};
  const material = watch<TlsMaterial | undefined>({
    ...{ ...parts, what: "TLS of the Admin API" },
    paths: [caFile, certFile, keyFile].filter((path) => path !== undefined),
    first: { value: tlsMaterial, text: textOf(tlsMaterial) },
    read: () => readMaterial(tls, readFile),
  });
  return {
    adminKey: () => key.value.reveal(),
    tls: () => material.value,
    close() {
      key.stop();
      material.stop();
    },
  };
}

function watch<T>(parts: WatchedFilesParts<T>): WatchedFiles<T> {
  if (parts.paths.length === 0) return new WatchedFiles(parts);
  const now = parts.read();
  const files = new WatchedFiles(now.ok ? { ...parts, first: now } : parts);
  files.start();
  return files;
}

function readKey(path: string, readFile: ReadFile): FileReading<Secret> {
  const read = readAdminKey(path, readFile);
  if (!read.ok) return { ok: false, reason: read.fault };
  if (!isAdminKey(read.key)) return { ok: false, reason: `does not hold ${adminKeyForm}` };
  return { ok: true, value: new Secret(read.key), text: read.key };
}

function readMaterial(tls: GatewayConfig["tls"], readFile: ReadFile): FileReading<TlsMaterial | undefined> {
  if (tls === undefined) return { ok: true, value: undefined, text: "" };
  const reading = readTlsFiles(tls, readFile);
  if (reading.ok) return { ok: true, value: reading.material, text: textOf(reading.material) };
  return { ok: false, reason: reading.problems.map(({ key, fault }) => `${key} ${fault}`).join("; ") };
}

function textOf(material: TlsMaterial | undefined): string {
  return material === undefined ? "" : JSON.stringify([material.ca, material.cert, material.key?.reveal()]);
}
