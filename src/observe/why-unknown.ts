import { enabledLabel, routesAnnotation } from "../declare/names.ts";
import type { ExplainParts, ObjectTarget } from "./explain-target.ts";
import { whyLeft } from "./left-clusters.ts";
import { printable } from "./printable.ts";

/** Clusters that are named where another was asked for. */
const mostNamed = 20;

/** Watches ask for nothing else, so it is not known whether there is such an object. */
const unlabelled = `only an object whose label ${enabledLabel} is exactly "true" is seen`;

const unannotated = `it has the label, and no annotation ${routesAnnotation}`;
const empty = `its annotation ${routesAnnotation} declares nothing`;

const isOrAre = (names: readonly string[]): string => (names.length === 1 ? "is" : "are");

function named(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return names.slice(0, mostNamed).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Clusters in which something may be that is not known; `""`: there are none. */
export function unseenClusters(parts: ExplainParts): string {
  const unseen = parts.clusters().filter((name) => parts.whyUnseen(name) !== undefined);
  const seen = unseen.length === 0 ? [] : [`${named(unseen)} ${isOrAre(unseen)} not seen now`];
  const why = parts.whyClustersUnknown();
  const besides = why === undefined ? [] : [printable(`there may be clusters that are not known: ${why}`)];
  return [...seen, ...besides].join("; ");
}

/** Why nothing is known of an object, in words for the one who asked. */
export function whyUnknown(target: ObjectTarget, parts: ExplainParts): string {
  const { cluster, source } = target;
  const configured = parts.lookUp(cluster);
  if (configured.is !== "watched") {
    const clusters = parts.clusters();
    const left = whyLeft(cluster, configured, parts.records);
    return (
      left ?? `there is no cluster ${JSON.stringify(cluster)}; there ${isOrAre(clusters)} ${named(clusters)}`
    );
  }
  const why = parts.whyUnseen(cluster, source);
  if (why !== undefined) return printable(`${cluster} is not seen now: ${why}`);
  const isAnnotated = parts.annotated(target);
  if (isAnnotated === undefined) return unlabelled;
  return isAnnotated ? empty : unannotated;
}
