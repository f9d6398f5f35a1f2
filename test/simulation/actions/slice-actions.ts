import { ofService } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { withLabels } from "../../../src/sim/kubernetes/object-changes.ts";
import type { Action, ActionRow } from "./action.ts";
import { clusterOf, enabled, isOn } from "./pods.ts";

/** What somebody does to EndpointSlices by hand. */

/** It belongs to another Service of its namespace from now on. */
const relink: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const found = random.maybe(cluster.slices);
  const other = random.maybe(
    cluster.services.filter(({ metadata }) => metadata.namespace === found?.metadata.namespace),
  );
  if (found === undefined || other === undefined) return undefined;
  const moved = ofService(found, other.metadata.name);
  cluster.store.update("endpointslices", withLabels(moved, { [enabled]: isOn(other) ? "true" : null }));
  return `${cluster.name}: slice ${objectKey(found)} belongs to ${other.metadata.name} now`;
};

export const sliceActions = {
  relink: { weight: 1, run: relink },
} as const satisfies Readonly<Record<string, ActionRow>>;
