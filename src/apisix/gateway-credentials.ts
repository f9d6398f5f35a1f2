import type { GatewayConfig } from "../config.ts";
import { adminKeyForm, isAdminKey, readAdminKey } from "../config/admin-key.ts";
import type { ReadFile } from "../config/file.ts";
import { Secret } from "../config/secret.ts";
import { readTlsFiles, type TlsMaterial } from "../config/tls-files.ts";
import { WatchedFiles, type FileReading } from "../config/watched-files.ts";
import { TranslatorError } from "../errors.ts";
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

/** @throws TranslatorError `CONFIG_INVALID` where a file has become bad since the configuration was judged. */
export function openGatewayCredentials(
  { adminKey, adminKeyFile, tls }: GatewayConfig,
  parts: GatewayCredentialsParts,
): GatewayCredentials {
  const { readFile } = parts;
  const key =
    adminKeyFile === undefined
      ? undefined
      : new WatchedFiles<Secret>({
          ...{ ...parts, what: "the admin key", paths: [adminKeyFile] },
          first: { value: adminKey, text: adminKey.reveal() },
          read: () => readKey(adminKeyFile, readFile),
        });
  const { caFile, certFile, keyFile } = tls ?? {};
  const paths = [caFile, certFile, keyFile].filter((path) => path !== undefined);
  const readTls = (): FileReading<TlsMaterial> => readMaterial(tls, readFile);
  const material =
    tls === undefined
      ? undefined
      : new WatchedFiles<TlsMaterial>({
          ...{ ...parts, what: "TLS of the Admin API", paths, read: readTls, first: good(readTls()) },
        });
  key?.start();
  if (paths.length > 0) material?.start();
  return {
    adminKey: () => (key?.value ?? adminKey).reveal(),
    tls: () => material?.value,
    close() {
      key?.stop();
      material?.stop();
    },
  };
}

function readKey(path: string, readFile: ReadFile): FileReading<Secret> {
  const read = readAdminKey(path, readFile);
  if (!read.ok) return { ok: false, reason: read.fault };
  if (!isAdminKey(read.key)) return { ok: false, reason: `does not hold ${adminKeyForm}` };
  return { ok: true, value: new Secret(read.key), text: read.key };
}

function readMaterial(tls: GatewayConfig["tls"], readFile: ReadFile): FileReading<TlsMaterial> {
  const none = { caFile: undefined, certFile: undefined, keyFile: undefined, serverName: undefined };
  const reading = readTlsFiles(tls ?? none, readFile);
  if (!reading.ok)
    return { ok: false, reason: reading.problems.map(({ key, fault }) => `${key} ${fault}`).join("; ") };
  const { ca, cert, key } = reading.material;
  return { ok: true, value: reading.material, text: JSON.stringify([ca, cert, key?.reveal()]) };
}

function good<T>(reading: FileReading<T>): Extract<FileReading<T>, { ok: true }> {
  if (reading.ok) return reading;
  const problem = `gateway.tls: ${reading.reason}`;
  throw new TranslatorError("CONFIG_INVALID", problem, { problems: [problem] });
}
