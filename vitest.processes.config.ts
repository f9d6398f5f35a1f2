import { defineConfig } from "vitest/config";

/** Several processes, threads that end badly, the packed package, planted bugs: slow, so not part of the plain suite. */
export default defineConfig({
  test: {
    include: ["test/**/*.process.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
