import { samePairs } from "../claims/sorted-pairs.ts";
import type { Age, Change, LocalCounts, Stand } from "../shard/change.ts";
import type { GroupRecord } from "./group-record.ts";

const oneValid: LocalCounts = { Valid: 1 };

/**
 * The same change, with the record's own values where it has equal ones. What is decoded from a message is a copy of its
 * own down to each name, and stays as long as the record.
 */
export function inWordsOf({ id, identity, change }: GroupRecord, said: Change): Change {
  return {
    ...said,
    id,
    identity,
    counts: isOneValid(said.counts) ? oneValid : said.counts,
    stand: said.stand.type === "live" ? liveIn(identity, change?.stand, said.stand) : said.stand,
  };
}

function liveIn(
  identity: GroupRecord["identity"],
  before: Stand | undefined,
  stand: Extract<Stand, { readonly type: "live" }>,
): Stand {
  if (before?.type === "live") {
    const age = isSameAge(before.age, stand.age) ? before.age : stand.age;
    const pairs = samePairs(before.pairs, stand.pairs) ? before.pairs : stand.pairs;
    return { ...stand, age, pairs };
  }
  const own = (part: "cluster" | "namespace" | "name"): string =>
    stand.age[part] === identity[part] ? identity[part] : stand.age[part];
  const { created } = stand.age;
  return {
    ...stand,
    age: { created, cluster: own("cluster"), namespace: own("namespace"), name: own("name") },
  };
}

function isSameAge(a: Age, b: Age): boolean {
  return (
    a.created === b.created && a.cluster === b.cluster && a.namespace === b.namespace && a.name === b.name
  );
}

function isOneValid(counts: LocalCounts): boolean {
  return counts.Valid === 1 && Object.keys(counts).length === 1;
}
