/**
 * Loaded before the translator, in each of its threads: puts lesser stages in the place of its own, so that nothing in the
 * program is there for the bench. `BENCH_WITHOUT` names what is taken away, separated by commas.
 */
import { registerHooks } from "node:module";

const stages: Readonly<Record<string, { readonly of: string; readonly by: string }>> = {
  filters: { of: "../../src/filter/pass.ts", by: "no-filter.ts" },
  comparison: { of: "../../src/diff/contents.ts", by: "write-through.ts" },
  indexes: { of: "../../src/diff/judge.ts", by: "no-index.ts" },
};

const replaced = new Map(
  (process.env["BENCH_WITHOUT"] ?? "").split(",").flatMap((name) => {
    const stage = stages[name];
    return stage === undefined ? [] : [[urlOf(stage.of), urlOf(stage.by)] as const];
  }),
);

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const by = replaced.get(resolved.url);
    // The lesser stage stands on the one that it replaces.
    return by === undefined || context.parentURL === by ? resolved : { ...resolved, url: by };
  },
});

function urlOf(file: string): string {
  return new URL(file, import.meta.url).href;
}
