import type { Config } from "../config.ts";
import type { Problems } from "./problems.ts";

/**
 * What is specified but not built yet: accepted at its default, refused otherwise, because a setting that silently does
 * nothing is worse than none. Whoever builds a feature deletes its row.
 */
const clusterRows: readonly {
  key: string;
  used(cluster: Config["clusters"][number]): boolean;
  advice: string;
}[] = [{ key: "weight", used: (cluster) => cluster.weight !== 100, advice: "leave it at 100" }];

/** Reports every setting of a feature that a later version brings. */
export function later(config: Config, problems: Problems): void {
  const refuse = (path: string, advice: string): void => {
    if (problems.clean(path)) problems.add(path, `comes with a later version; until then ${advice}`);
  };
  for (const [index, cluster] of config.clusters.entries()) {
    for (const { key, used, advice } of clusterRows)
      if (used(cluster)) refuse(`clusters[${index}].${key}`, advice);
  }
}
