import type { SeededRandom } from "../seeded-random.ts";

/** One row of a table, by weight, with its name. */
export function drawFrom<Row extends { readonly weight: number }>(
  table: Readonly<Record<string, Row>>,
  random: SeededRandom,
): readonly [name: string, row: Row] {
  const rows = Object.entries(table);
  let at = random.next() * rows.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const row of rows) {
    at -= row[1].weight;
    if (at < 0) return row;
  }
  throw new Error("an empty table");
}
