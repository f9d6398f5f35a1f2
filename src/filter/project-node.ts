import { addressBytes, addressKey, readAddress, writeAddress, type Family } from "../store/ip-address.ts";
import type { NodeProjection } from "../store/projection.ts";
import { excludedNodeLabel } from "./kubernetes-names.ts";
import { labelOf, projected, type Projected } from "./project-source.ts";
import { FieldError, fieldsOf, listOf, textOf, type Fields } from "./read-fields.ts";

/** The consumed values of a Node; `consumedNodeFields` lists where they stand. Every Node takes part. */
export function projectNode(value: unknown): Projected<NodeProjection> {
  return projected(value, (node, metadata) => {
    const status = fieldsOf(node["status"], "status");
    const projection = {
      internalIPs: addressesOf(status, "InternalIP"),
      externalIPs: addressesOf(status, "ExternalIP"),
      excluded: labelOf(metadata, excludedNodeLabel) !== undefined,
    };
    return { enabled: true, projection };
  });
}

function addressesOf(status: Fields, type: string): string[] {
  const found = new Set<string>();
  for (const entry of listOf(status["addresses"], "status.addresses")) {
    const address = fieldsOf(entry, "status.addresses[]");
    if (textOf(address["type"], "status.addresses[].type") !== type) continue;
    found.add(canonical(textOf(address["address"], "status.addresses[].address") ?? ""));
  }
  return [...found].sort();
}

function canonical(text: string): string {
  const family: Family = text.includes(":") ? "IPv6" : "IPv4";
  const key = addressKey(text, family);
  if (key === undefined) throw new FieldError("status.addresses[].address", "an IP address");
  const bytes = new Uint8Array(addressBytes[family]);
  writeAddress(bytes, 0, key);
  return readAddress(bytes, 0, family);
}
