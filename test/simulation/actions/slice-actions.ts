import { ofService } from "../../../src/sim/kubernetes/endpoint-slice.ts";
import { objectKey } from "../../../src/sim/kubernetes/kube-object.ts";
import { withLabels } from "../../../src/sim/kubernetes/object-changes.ts";
import type { Action, ActionRow } from "./action.ts";
import { clusterOf, enabled, isOn } from "./pods.ts";

/** EndpointSlices that change hands, or are heard of while their Services are not. */

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

/** A Service goes, and before its grace is over nobody may list Services any more, while slices are heard of. */
const goneThenRefused: Action = (world, random) => {
  const cluster = clusterOf(world, random);
  const found = random.maybe(cluster.services.filter(isOn));
  if (found === undefined) return undefined;
  const { access, traffic } = cluster.api;
  cluster.store.remove("services", objectKey(found));
  world.later(random.between(100, 3000), () => {
    access.forbidden.add("services");
    for (const watch of traffic.openWatches("services")) watch.cut();
  });
  world.later(random.between(35_000, 50_000), () => access.forbidden.delete("services"));
  return `${cluster.name}: Service ${objectKey(found)} goes, and then 403 to services`;
};

export const sliceActions = {
  relink: { weight: 2, run: relink },
  goneThenRefused: { weight: 1, run: goneThenRefused },
} as const satisfies Readonly<Record<string, ActionRow>>;
