import { enabledLabel } from "../declare/names.ts";
import type { Kind } from "./events.ts";

/** What is watched of one kind. A new kind is a new row. */
export interface KindRow {
  /** Secrets are read where clusters are described in them, and go no further. */
  readonly kind: Kind | "secrets";
  /** Path of the collection: over all namespaces, or of `namespace` alone. */
  readonly path: string;
  /** `kind` of a list document. */
  readonly listKind: string;
  readonly namespaced: boolean;
  /** Label selector that the server applies; `""` for none. */
  readonly selector: string;
  /** Objects of other namespaces have no place in an answer. */
  readonly namespace?: string;
  /** The formats that are asked for; left out: all that are understood. */
  readonly accept?: string;
}

/** What must be listed and watched, each by itself, to see a kind in these namespaces; none named: in all. */
export function partsOf(row: KindRow, namespaces: readonly string[]): readonly KindRow[] {
  if (!row.namespaced || namespaces.length === 0) return [row];
  return namespaces.map((namespace) => ({
    ...row,
    namespace,
    path: row.path.replace(/[^/]+$/, (collection) => `namespaces/${namespace}/${collection}`),
  }));
}

const optedIn = `${enabledLabel}=true`;

export const kindRows = {
  pods: { kind: "pods", path: "/api/v1/pods", listKind: "PodList", namespaced: true, selector: optedIn },
} as const satisfies Readonly<Partial<Record<Kind, KindRow>>>;

export type WatchedKind = keyof typeof kindRows;
