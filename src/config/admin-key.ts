import type { GatewayConfig } from "../config.ts";
import { fileFault, type ReadFile } from "./file.ts";
import type { Environment } from "./overrides.ts";
import type { Problems } from "./problems.ts";
import type { Draft } from "./schema.ts";
import { Secret } from "./secret.ts";
import type { Override } from "./shape.ts";

const keyPath = "gateway.adminKeyFile";
export const keyVariable = "APISIX_ADMIN_KEY";
const allowed = `a file that holds the admin key, or the key in ${keyVariable}`;

export const adminKeyForm = "a key of 1 to 4096 printable ASCII characters with no space in it";

/**
 * Adds the admin key. A key file that a flag or a variable names goes before `APISIX_ADMIN_KEY`, and that before one that
 * the configuration file names; an empty variable is as good as none.
 */
export function keyed(
  draft: Draft["gateway"],
  from: { readonly env: Environment; readonly readFile: ReadFile },
  overrides: ReadonlyMap<string, Override>,
  problems: Problems,
): Omit<GatewayConfig, "tlsMaterial"> {
  const variable = (from.env[keyVariable] ?? "").trim();
  const path = draft.adminKeyFile;
  const useVariable = variable !== "" && !overrides.has(keyPath);
  const key = useVariable ? variable : readKey(path, from.readFile, problems);
  if (key !== undefined && !isAdminKey(key))
    problems.add(useVariable ? keyVariable : keyPath, `got (secret); allowed: ${adminKeyForm}`);
  const adminKeyFile = useVariable ? undefined : path;
  return { ...draft, adminKeyFile, adminKey: new Secret(key ?? "") };
}

function readKey(path: string | undefined, readFile: ReadFile, problems: Problems): string | undefined {
  if (!problems.clean(keyPath)) return undefined;
  if (path === undefined) {
    problems.missing(keyPath, allowed);
    return undefined;
  }
  const read = readAdminKey(path, readFile);
  if (read.ok) return read.key;
  problems.add(keyPath, `got ${JSON.stringify(path)}, which ${read.fault}; allowed: ${allowed}`);
  return undefined;
}

export type AdminKeyReading =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly fault: string };

/** What stands in a key file, trimmed; whether it can be a key is for `isAdminKey` to say. */
export function readAdminKey(path: string, readFile: ReadFile): AdminKeyReading {
  try {
    const key = readFile(path).trim();
    return key === "" ? { ok: false, fault: "is empty" } : { ok: true, key };
  } catch (error) {
    return { ok: false, fault: `cannot be read: ${fileFault(error)}` };
  }
}

/** The HTTP client would complain about anything else, and quote it. */
export const isAdminKey = (key: string): boolean => /^[\x21-\x7e]{1,4096}$/.test(key);
