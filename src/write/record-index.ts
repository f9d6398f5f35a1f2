import type { SourceKind } from "../declare/declaration.ts";
import type { GroupRecord } from "./group-record.ts";

interface Part {
  readonly records: Set<GroupRecord>;
  /** Of which something stands. */
  standing: number;
}

/**
 * Records by cluster and kind of source. A fleet group is found, and counted, under each cluster that has a part in what
 * stands, and under `""`.
 */
export class RecordIndex {
  readonly #clusters = new Map<string, Map<SourceKind, Part>>();

  add(cluster: string, record: GroupRecord): void {
    const kinds = this.#clusters.get(cluster) ?? new Map<SourceKind, Part>();
    this.#clusters.set(cluster, kinds);
    const { kind } = record.identity;
    const part = kinds.get(kind) ?? { records: new Set(), standing: 0 };
    kinds.set(kind, part);
    part.records.add(record);
  }

  remove(cluster: string, record: GroupRecord): void {
    const kinds = this.#clusters.get(cluster);
    const { kind } = record.identity;
    const part = kinds?.get(kind);
    part?.records.delete(record);
    if (part?.records.size === 0) kinds?.delete(kind);
    if (kinds?.size === 0) this.#clusters.delete(cluster);
  }

  count(cluster: string, record: GroupRecord, step: 1 | -1): void {
    const part = this.#clusters.get(cluster)?.get(record.identity.kind);
    if (part !== undefined) part.standing += step;
  }

  *of(cluster: string): Iterable<GroupRecord> {
    for (const { records } of this.#clusters.get(cluster)?.values() ?? []) yield* records;
  }

  ofKind(cluster: string, kind: SourceKind): Iterable<GroupRecord> {
    return this.#clusters.get(cluster)?.get(kind)?.records ?? [];
  }

  standing(cluster: string): number {
    let count = 0;
    for (const part of this.#clusters.get(cluster)?.values() ?? []) count += part.standing;
    return count;
  }

  standingOfKind(cluster: string, kind: SourceKind): number {
    return this.#clusters.get(cluster)?.get(kind)?.standing ?? 0;
  }
}
