import { addressBytes, addressKey, writeAddress, type AddressKey, type Family } from "../store/ip-address.ts";
import { nodeMarkBytes, writeNodeMark } from "../store/node-mark.ts";
import { condition, type EndpointSliceProjection } from "../store/projection.ts";
import { mirroredServiceLabel, serviceNameLabel } from "./kubernetes-names.ts";
import { labelOf, projected, type Projected } from "./project-source.ts";
import { FieldError, fieldsOf, flagOf, listOf, neededPort, textOf, type Fields } from "./read-fields.ts";

/**
 * The consumed values of an EndpointSlice; `consumedEndpointSliceFields` lists where they stand. Slices that belong to no
 * Service, mirror those of other clusters, or hold names instead of addresses take no part. Who wrote a slice does not
 * matter, nor whether it opts in: that is asked of the server.
 */
export function projectEndpointSlice(value: unknown): Projected<EndpointSliceProjection> {
  return projected(value, (slice, metadata) => {
    const service = labelOf(metadata, serviceNameLabel) ?? "";
    const addressType = textOf(slice["addressType"], "addressType") ?? "";
    const isMirror = labelOf(metadata, mirroredServiceLabel) !== undefined;
    const family: Family = addressType === "IPv6" ? "IPv6" : "IPv4";
    if (service === "" || isMirror || addressType !== family)
      return { enabled: false, projection: emptySlice(service, family) };
    const rows = rowsOf(slice, family);
    return {
      enabled: true,
      projection: { service, family, ports: portsOf(slice), ...columns(rows, family), vanished: false },
    };
  });
}

interface Row {
  readonly address: AddressKey;
  readonly condition: number;
  readonly node: string;
}

function emptySlice(service: string, family: Family): EndpointSliceProjection {
  return { service, family, ports: [], ...columns([], family), vanished: false };
}

function rowsOf(slice: Fields, family: Family): readonly Row[] {
  const rows = listOf(slice["endpoints"], "endpoints").map((entry): Row => {
    const endpoint = fieldsOf(entry, "endpoints[]");
    const [first] = listOf(endpoint["addresses"], "endpoints[].addresses");
    const address = addressKey(textOf(first, "endpoints[].addresses[]") ?? "", family);
    if (address === undefined) throw new FieldError("endpoints[].addresses[]", `an ${family} address`);
    return {
      address,
      condition: conditionOf(fieldsOf(endpoint["conditions"], "endpoints[].conditions")),
      node: textOf(endpoint["nodeName"], "endpoints[].nodeName") ?? "",
    };
  });
  return rows.sort(compareRows).filter((row, index) => {
    const earlier = rows[index - 1];
    return earlier === undefined || compareRows(earlier, row) !== 0;
  });
}

/** `ready` and `serving` are true where they are not set, `terminating` false (discovery/v1, EndpointConditions). */
function conditionOf(conditions: Fields): number {
  const path = "endpoints[].conditions";
  const ready = flagOf(conditions["ready"] ?? true, `${path}.ready`);
  const serving = flagOf(conditions["serving"] ?? true, `${path}.serving`);
  const terminating = flagOf(conditions["terminating"], `${path}.terminating`);
  if (ready) return condition.ready;
  if (!terminating) return condition.notReady;
  return serving ? condition.draining : condition.out;
}

function compareRows(a: Row, b: Row): number {
  if (a.address !== b.address) return a.address < b.address ? -1 : 1;
  if (a.condition !== b.condition) return a.condition - b.condition;
  return a.node < b.node ? -1 : a.node > b.node ? 1 : 0;
}

function columns(
  rows: readonly Row[],
  family: Family,
): Pick<EndpointSliceProjection, "addresses" | "conditions" | "nodes"> {
  const width = addressBytes[family];
  const addresses = new Uint8Array(width * rows.length);
  const conditions = new Uint8Array(rows.length);
  const nodes = new Uint8Array(rows.some(({ node }) => node !== "") ? nodeMarkBytes * rows.length : 0);
  for (const [index, row] of rows.entries()) {
    writeAddress(addresses, width * index, row.address);
    conditions[index] = row.condition;
    if (row.node !== "") writeNodeMark(nodes, nodeMarkBytes * index, row.node);
  }
  return { addresses, conditions, nodes };
}

/** A port without a number means all ports, which no upstream can have. */
function portsOf(slice: Fields): (readonly [string, number])[] {
  const ports = new Map<string, number>();
  for (const entry of listOf(slice["ports"], "ports")) {
    const port = fieldsOf(entry, "ports[]");
    const name = textOf(port["name"], "ports[].name") ?? "";
    if (port["port"] === undefined || port["port"] === null) continue;
    const number = neededPort(port["port"], "ports[].port");
    // The API server allows a name once; whatever comes instead must not depend on the order.
    ports.set(name, Math.min(number, ports.get(name) ?? number));
  }
  return [...ports].sort(([a], [b]) => (a < b ? -1 : 1));
}
