import type { GonePart } from "../shard/protocol.ts";

interface Part {
  isLetGo: boolean;
}

/**
 * Parts of fleet groups that a list has taken away: by group, the clusters that have a part in what stands and were listed
 * without it. Each stands, as if its cluster were out of sight, until the guard lets it go.
 */
export class GoneParts {
  readonly #ofGroup = new Map<string, Map<string, Part>>();
  #news: GonePart[] = [];

  hold(id: string, cluster: string): void {
    const parts = this.#ofGroup.get(id) ?? new Map<string, Part>();
    if (parts.has(cluster)) return;
    this.#ofGroup.set(id, parts.set(cluster, { isLetGo: false }));
    this.#news.push({ id, cluster, isGone: true });
  }

  /** False: it is not held. */
  letGo(id: string, cluster: string): boolean {
    const part = this.#ofGroup.get(id)?.get(cluster);
    if (part === undefined || part.isLetGo) return false;
    part.isLetGo = true;
    return true;
  }

  isHeld(id: string, cluster: string): boolean {
    return this.#ofGroup.get(id)?.get(cluster)?.isLetGo === false;
  }

  /** Until it is seen to be gone. */
  isLetGo(id: string, cluster: string): boolean {
    return this.#ofGroup.get(id)?.get(cluster)?.isLetGo === true;
  }

  /** Clusters whose part of one group is held, or let go and not yet seen to be gone. */
  of(id: string): readonly string[] {
    const parts = this.#ofGroup.get(id);
    return parts === undefined ? none : [...parts.keys()];
  }

  held(id: string): readonly string[] {
    return this.of(id).filter((cluster) => this.isHeld(id, cluster));
  }

  /** It is there again, or does not stand, or nobody sees any more whether it does. */
  end(id: string, cluster: string): void {
    const parts = this.#ofGroup.get(id);
    if (parts?.delete(cluster) !== true) return;
    if (parts.size === 0) this.#ofGroup.delete(id);
    this.#news.push({ id, cluster, isGone: false });
  }

  /** What has changed since the last call. */
  drain(): readonly GonePart[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }
}

const none: readonly string[] = [];
