import type { Identity } from "../../../src/apisix/types.ts";
import { declaredIn } from "../oracle/expected.ts";
import { idOf } from "../oracle/ownership.ts";
import type { World } from "../world.ts";

/**
 * Invariant 10: nothing grows with time. At rest the translator remembers of groups only what is declared or stands, and
 * nothing waits.
 */
export function growthOf(world: World): string | undefined {
  const writer = world.process?.controller?.writer;
  if (writer === undefined) return undefined;
  const ids = new Set<string>();
  for (const collection of ["routes", "upstreams"] as const)
    for (const { id } of world.admin.store.list(collection)) ids.add(id);
  for (const name of world.clusters.keys())
    for (const { entries } of declaredIn(world.history.latest(name).truth))
      for (const { identity } of entries) ids.add(idOf(world.config.instance, identity));
  const stray = [...writer.records.all()].find(
    ({ id, identity }) => !ids.has(id) && !isOfPaused(world, identity),
  );
  if (stray !== undefined)
    return `${stray.id} is remembered, though it is not declared and nothing of it stands`;
  for (const name of world.clusters.keys())
    for (const record of writer.records.ofCluster(name))
      if (writer.records.get(record.id) !== record)
        return `${record.id} is forgotten, and still found under ${name}`;
  if (writer.claims.size > ids.size)
    return `${writer.claims.size} claims are remembered of ${ids.size} groups`;
  if (writer.retries.uncertain > 0) return `${writer.retries.uncertain} groups are uncertain for ever`;
  return undefined;
}

/** What is paused means what it declared when its pause began, until that ends, though its annotation say otherwise by now. */
function isOfPaused(world: World, { cluster, kind, namespace, name }: Identity): boolean {
  const { truth } = world.history.latest(cluster);
  return [...declaredIn(truth)].some(
    ({ pod }) =>
      pod.paused && pod.kind === kind && pod.namespace === namespace && (name === "" || pod.name === name),
  );
}
