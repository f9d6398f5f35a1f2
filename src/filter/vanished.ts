import { addressBytes } from "../store/ip-address.ts";
import { nodeMarkBytes } from "../store/node-mark.ts";
import { condition, type EndpointSliceProjection } from "../store/projection.ts";

/**
 * What has vanished from a slice: its endpoints of `held` that `next` lacks, with the ports that they had. Undefined where
 * there is nothing worth waiting for. `next` undefined: the slice was deleted.
 *
 * While an endpoint moves from one slice to another it may stand in none for a moment (FACTS-KUBERNETES.md, traps 2 and
 * 8). A slice that now says that it belongs to another Service has not lost anything: it has left, all at once.
 */
export function vanishedFrom(
  held: EndpointSliceProjection,
  next: EndpointSliceProjection | undefined,
): EndpointSliceProjection | undefined {
  if (next !== undefined && (next.service !== held.service || next.family !== held.family)) return undefined;
  const rows = missingRows(held, next).filter((row) => held.conditions[row] !== condition.out);
  if (rows.length === 0) return undefined;
  const { service, family, ports, addresses, conditions, nodes } = held;
  return {
    ...{ service, family, ports, vanished: true },
    addresses: pick(addresses, addressBytes[family], rows),
    conditions: pick(conditions, 1, rows),
    nodes: nodes.length === 0 ? nodes : pick(nodes, nodeMarkBytes, rows),
  };
}

/** Rows of `held` whose address is none of `next`'s. Both are sorted. */
function missingRows(held: EndpointSliceProjection, next: EndpointSliceProjection | undefined): number[] {
  const rows: number[] = [];
  const width = addressBytes[held.family];
  const count = next?.conditions.length ?? 0;
  let at = 0;
  for (let row = 0; row < held.conditions.length; row++) {
    let order = 1;
    while (next !== undefined && at < count) {
      order = compare(held.addresses, row * width, next.addresses, at * width, width);
      if (order <= 0) break;
      at++;
    }
    if (at >= count || order !== 0) rows.push(row);
  }
  return rows;
}

function compare(a: Uint8Array, atA: number, b: Uint8Array, atB: number, width: number): number {
  for (let index = 0; index < width; index++) {
    const difference = (a[atA + index] ?? 0) - (b[atB + index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function pick(column: Uint8Array, width: number, rows: readonly number[]): Uint8Array {
  const picked = new Uint8Array(width * rows.length);
  for (const [index, row] of rows.entries())
    picked.set(column.subarray(row * width, (row + 1) * width), index * width);
  return picked;
}
