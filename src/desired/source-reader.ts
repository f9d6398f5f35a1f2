import type { SourceObject } from "../store/projection.ts";
import { analyse } from "./analyse.ts";
import type { Translation } from "./context.ts";
import type { Group } from "./group.ts";
import { nodesOf } from "./group-nodes.ts";
import type { KeptRoutes } from "./kept-routes.ts";
import type { Member, Source } from "./member.ts";
import { judgedAnew } from "./refusal.ts";
import { rowOf } from "./source-rows.ts";

export interface SourceReaderParts {
  readonly groups: ReadonlyMap<string, Group>;
  readonly kept: KeptRoutes;
  readonly translation: () => Translation;
}

/** What an object declares, given what was known under its name before; changes nothing. */
export class SourceReader {
  readonly #parts: SourceReaderParts;

  constructor(parts: SourceReaderParts) {
    this.#parts = parts;
  }

  /** `held`: what is known under its name; with another uid it is another object, which has ended. */
  read(cluster: string, object: SourceObject, held: Source | undefined): Source {
    if (held === undefined) return this.#readFirst(cluster, object);
    if (held.object.uid !== object.uid) return this.#readSuccessor(cluster, object);
    if (object.paused) return this.#paused(object, held);
    if (!held.object.paused && declaresAlike(held.object, object)) return followed(held, object);
    return this.#kept.added(this.#analyse(object, cluster), held);
  }

  /** What its declaration means has changed; `held` itself where nothing came of that. */
  reread(held: Source): Source {
    if (!held.object.paused) return this.#kept.added(this.#analyse(held.object, held.cluster), held);
    const members = held.members.map((member) => judgedAnew(member, this.#parts.translation()));
    return members.every((member, index) => member === held.members[index]) ? held : { ...held, members };
  }

  /** Paused before this shard first saw it: what stands is what it had, whatever its annotation says meanwhile. */
  #readFirst(cluster: string, object: SourceObject): Source {
    const source = this.#analyse(object, cluster);
    return this.#kept.added(object.paused ? { ...source, keeps: "all" } : source, undefined);
  }

  /**
   * In the place of another object of its name, which has ended: what stands is not what this one had. Paused, it gives
   * what it has given until now, which is nothing.
   */
  #readSuccessor(cluster: string, object: SourceObject): Source {
    const source = this.#analyse(object, cluster);
    if (!object.paused) return this.#kept.added(source, undefined);
    const members = source.members.map((member): Member => ({ ...member, paused: { nodes: [] } }));
    return this.#kept.added({ ...source, members }, undefined);
  }

  /** Everything stays as it was declared, and the nodes as they were given, when the pause began. */
  #paused(object: SourceObject, old: Source): Source {
    const { groups, translation } = this.#parts;
    const members = old.members.map((member): Member => {
      if (member.paused !== false) return { ...member, object };
      const group = groups.get(member.id);
      const nodes = group === undefined ? [] : nodesOf(group, member, undefined, translation());
      return { ...member, object, paused: { nodes } };
    });
    return { ...old, object, members };
  }

  get #kept(): KeptRoutes {
    return this.#parts.kept;
  }

  #analyse(object: SourceObject, cluster: string): Source {
    return analyse(object, cluster, this.#parts.translation());
  }
}

/** Whether the two can only differ in what chooses nodes: then nothing is parsed again. */
function declaresAlike(a: SourceObject, b: SourceObject): boolean {
  return a.routes === b.routes && a.paused === b.paused && rowOf(a).declaresAlike(a, b);
}

function followed(old: Source, object: SourceObject): Source {
  return { ...old, object, members: old.members.map((member) => ({ ...member, object })) };
}
