import type { Standing } from "../apisix/types.ts";
import type { Known } from "../shard/protocol.ts";
import type { GroupRecord } from "./group-record.ts";

/**
 * What a record's shard is told to stand. A route that may still come to stand, for a write of it had no answer, counts
 * as one whose content is not known, though a look has found none: that proves nothing before the id is read back.
 */
export function knownOf({ id, identity, members, upstream, route, uncertain }: GroupRecord): Known {
  const likely = route ?? (uncertain?.route === true ? { digest: "" } : undefined);
  const mayCome = uncertain !== undefined && upstream === undefined && likely === undefined;
  return {
    ...{ id, identity },
    ...(mayCome ? { mayCome } : {}),
    ...(members.length === 0 ? {} : { members }),
    ...(upstream === undefined ? {} : { upstream: contentOf(upstream) }),
    ...(likely === undefined ? {} : { route: contentOf(likely) }),
  };
}

/** Without what the writer alone keeps. */
export function contentOf({ digest, found }: Standing): Standing {
  return found === undefined ? { digest } : { digest, found };
}
