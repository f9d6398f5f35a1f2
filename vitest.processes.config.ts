import { defineConfig } from "vitest/config";

/** Several `run` processes at once over embedded servers: slow to start, so not part of the plain suite. */
export default defineConfig({
  test: {
    include: ["test/**/*.process.test.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
