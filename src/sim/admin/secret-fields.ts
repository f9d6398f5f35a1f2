/**
 * Fields that APISIX encrypts before it stores them. The answer to a write shows them encrypted, a read shows them plain, and
 * the key of an ssl is never read back (recorded).
 */
import { createCipheriv } from "node:crypto";
import { isJsonObject, type JsonObject } from "./json-schema.ts";

/** The key that APISIX's default configuration carries: public, and only here so that answers look alike. */
const publicKey = "qeddd145sfvddff3";

const pluginSecrets: Readonly<Record<string, readonly string[]>> = {
  "key-auth": ["key"],
  "basic-auth": ["password"],
};

function encrypt(text: string): string {
  const cipher = createCipheriv("aes-128-cbc", publicKey, publicKey);
  return cipher.update(text, "utf8", "base64") + cipher.final("base64");
}

function hasSecrets(collection: string): boolean {
  return collection === "ssls" || collection.startsWith("consumers");
}

/** `value` as the answer to a write shows it. */
export function shownAfterWrite(collection: string, value: JsonObject): JsonObject {
  if (!hasSecrets(collection)) return value;
  if (collection === "ssls") {
    const { key } = value;
    return typeof key === "string" ? { ...value, key: encrypt(key) } : value;
  }
  const { plugins } = value;
  if (!isJsonObject(plugins)) return value;
  const shown = Object.entries(plugins).map(([name, conf]) => [name, encryptFields(name, conf)] as const);
  return { ...value, plugins: Object.fromEntries(shown) };
}

function encryptFields(plugin: string, conf: unknown): unknown {
  if (!isJsonObject(conf)) return conf;
  const shown: Record<string, unknown> = { ...conf };
  for (const field of pluginSecrets[plugin] ?? []) {
    const secret = shown[field];
    if (typeof secret === "string") shown[field] = encrypt(secret);
  }
  return shown;
}

/** `value` as a read shows it. */
export function shownOnRead(collection: string, value: JsonObject): JsonObject {
  if (collection !== "ssls" || !("key" in value)) return value;
  const { key: _, ...shown } = value;
  return shown;
}
