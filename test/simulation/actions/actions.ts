import type { ActionRow } from "./action.ts";
import { clusterActions } from "./cluster-actions.ts";
import { configActions } from "./config-actions.ts";
import { gatewayActions } from "./gateway-actions.ts";
import { leaseActions } from "./lease-actions.ts";
import { objectActions } from "./object-actions.ts";
import { peopleActions } from "./people-actions.ts";
import { processActions } from "./process-actions.ts";
import { serviceActions } from "./service-actions.ts";

/**
 * All that can happen, by name, but for what happens to Services, which not every schedule has. Something new is a new row
 * in one of these tables.
 */
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

export const actions: Readonly<Record<string, ActionRow>> = Object.assign(
  {},
  ...Object.values(actionTables),
  serviceActions,
) as Record<string, ActionRow>;
