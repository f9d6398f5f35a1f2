import { enabledLabel } from "../declare/names.ts";
import type { Kind } from "./events.ts";

/** What is watched of one kind. A new kind is a new row. */
export interface KindRow {
  readonly kind: Kind;
  /** Path of the collection over all namespaces. */
  readonly path: string;
  /** `kind` of a list document. */
  readonly listKind: string;
  readonly namespaced: boolean;
  /** Label selector that the server applies; `""` for none. */
  readonly selector: string;
}

const optedIn = `${enabledLabel}=true`;

export const kindRows = {
  pods: { kind: "pods", path: "/api/v1/pods", listKind: "PodList", namespaced: true, selector: optedIn },
} as const satisfies Readonly<Partial<Record<Kind, KindRow>>>;

export type WatchedKind = keyof typeof kindRows;
