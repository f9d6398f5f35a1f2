import { contentDigest, digestOf } from "./canonical.ts";
import { isJsonObject } from "./json-object.ts";
import { digestLabel } from "./labels.ts";
import type { JsonObject, Standing } from "./types.ts";

/** An object of ours as it was read. */
export function standingOf(object: JsonObject): Standing {
  const digest = contentDigest(object);
  const said = saidDigest(object);
  // The label's own text is held: it is there anyway.
  return said === digest ? { digest: said } : { digest: digestOf(`${digest} ${said}`), found: object };
}

/** What the object's digest label says; empty: nothing. */
export function saidDigest({ labels }: JsonObject): string {
  const said = isJsonObject(labels) ? labels[digestLabel] : undefined;
  return typeof said === "string" ? said : "";
}
