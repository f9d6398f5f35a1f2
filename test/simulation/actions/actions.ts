import type { ActionRow } from "./action.ts";
import { clusterActions } from "./cluster-actions.ts";
import { credentialActions } from "./credential-actions.ts";
import { configActions } from "./config-actions.ts";
import { crowdActions } from "./crowd-actions.ts";
import { decisionActions } from "./decision-actions.ts";
import { gatewayActions } from "./gateway-actions.ts";
import { leaseActions } from "./lease-actions.ts";
import { markActions } from "./mark-actions.ts";
import { nodeActions } from "./node-actions.ts";
import { objectActions } from "./object-actions.ts";
import { peopleActions } from "./people-actions.ts";
import { processActions } from "./process-actions.ts";
import { returnActions } from "./return-actions.ts";
import { serviceActions } from "./service-actions.ts";
import { sliceActions } from "./slice-actions.ts";

/** What happens in every schedule, by name. Something new is a new row in one of these tables. */
export const actionTables = {
  objects: objectActions,
  clusters: clusterActions,
  gateway: gatewayActions,
  config: configActions,
  people: peopleActions,
  process: processActions,
  lease: leaseActions,
} as const satisfies Readonly<Record<string, Readonly<Record<string, ActionRow>>>>;

export type ActionTable = keyof typeof actionTables;

/** What not every schedule has. Each is drawn from a stream of its own, beside the rest. */
export const concerns = {
  services: serviceActions,
  nodes: nodeActions,
  credentials: credentialActions,
  decisions: decisionActions,
  marks: markActions,
  returns: returnActions,
  slices: sliceActions,
  crowds: crowdActions,
} as const satisfies Readonly<Record<string, Readonly<Record<string, ActionRow>>>>;

export type Concern = keyof typeof concerns;

export const actions: Readonly<Record<string, ActionRow>> = byName([
  ...Object.values(actionTables),
  ...Object.values(concerns),
]);

/** @throws Error where two of different tables have one name: the plan knows an action by its name alone. */
function byName(tables: readonly Readonly<Record<string, ActionRow>>[]): Record<string, ActionRow> {
  const all = tables.flatMap((table) => Object.entries(table));
  const found = Object.fromEntries(all);
  if (Object.keys(found).length < all.length) throw new Error("two actions have one name");
  return found;
}
