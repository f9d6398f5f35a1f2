import { defineConfig } from "vitest/config";

/** Against an APISIX that somebody runs: `npm run test:apisix`, which see (test/live/main.ts). */
export default defineConfig({
  test: {
    include: ["test/live/**/*.live.test.ts", "test/pipeline/**/*.test.ts", "test/scenarios/**/*.test.ts"],
    setupFiles: ["test/live/setup.ts"],
    // There is one APISIX, and the tests use the same hosts.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // As in the plain suite, whose tests these are too: a limit says only that a test hangs.
    expect: { poll: { timeout: 100_000, interval: 20 } },
  },
});
