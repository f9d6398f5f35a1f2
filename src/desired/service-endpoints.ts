import { addressBytes, readAddress } from "../store/ip-address.ts";
import { nodeMarkBytes, readNodeMark } from "../store/node-mark.ts";
import { condition, type EndpointSliceProjection } from "../store/projection.ts";
import type { AddressFamily } from "./pod-nodes.ts";

/** Which endpoints of a Service are meant. */
export interface EndpointChoice {
  /** Name of the Service's port; `""` where it has none. */
  readonly port: string;
  readonly family: AddressFamily;
  /** Endpoints that are not ready count as if they were. */
  readonly publishNotReady: boolean;
}

/** An endpoint that takes traffic. */
export interface Endpoint {
  /** IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
  /** Marks of the Nodes that it is said to be on: one, as a rule; 0 where none is named. */
  readonly nodes: readonly number[];
}

/** What all slices say of one `host:port`. */
interface Found extends Endpoint {
  readonly condition: number;
  readonly vanished: boolean;
}

/**
 * The endpoints of a Service that take traffic: the union of its slices, one for each `host:port` (PRODUCT.md, "Which
 * nodes"; FACTS-KUBERNETES.md, traps 1 to 10). In no order.
 *
 * Ready ones; where there is none, those that serve while they terminate. An endpoint that stands in several slices has
 * its best condition; one that has vanished from a slice counts there only while it stands in no other, and may be gone:
 * those that stand in for it stay beside it.
 */
export function serviceEndpoints(
  slices: readonly EndpointSliceProjection[],
  choice: EndpointChoice,
): Endpoint[] {
  const found = new Map<string, Found>();
  for (const slice of slices) {
    if (choice.family !== "dual" && slice.family !== choice.family) continue;
    const port = slice.ports.find(([name]) => name === choice.port)?.[1];
    if (port !== undefined) collect(slice, port, found);
  }
  const all = [...found.values()];
  const wanted = choice.publishNotReady ? condition.notReady : condition.ready;
  const isReady = (each: Found): boolean => each.condition >= wanted;
  if (all.some((each) => isReady(each) && !each.vanished)) return all.filter(isReady);
  return all.filter((each) => isReady(each) || each.condition === condition.draining);
}

function collect(slice: EndpointSliceProjection, port: number, found: Map<string, Found>): void {
  const { addresses, conditions, nodes, family, vanished } = slice;
  for (let row = 0; row < conditions.length; row++) {
    const address = readAddress(addresses, row * addressBytes[family], family);
    const host = family === "IPv6" ? `[${address}]` : address;
    const node = nodes.length === 0 ? 0 : readNodeMark(nodes, row * nodeMarkBytes);
    const each: Found = { host, port, nodes: [node], condition: conditions[row] ?? condition.out, vanished };
    const key = `${host} ${port}`;
    const other = found.get(key);
    found.set(key, other === undefined ? each : better(each, other));
  }
}

/** What still stands in a slice says more than what has vanished; then the better condition; what is alike counts both. */
function better(a: Found, b: Found): Found {
  if (a.vanished !== b.vanished) return a.vanished ? b : a;
  if (a.condition !== b.condition) return a.condition > b.condition ? a : b;
  return { ...a, nodes: [...a.nodes, ...b.nodes] };
}
