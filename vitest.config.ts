import { defineConfig } from "vitest/config";

// Shards of a hundred tests run in threads of their own, which read the code without types that the first of them left here:
// a thread's start takes a quarter of the time. What the tests' processes inherit is all of it that Node.js lets one set.
process.env["NODE_COMPILE_CACHE"] ??= "node_modules/.cache/compiled";

/**
 * The plain suite: everything but what needs a real control plane (`test:real`), several processes (`test:processes`) or a real
 * APISIX (`test:apisix`).
 */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.real.test.ts", "**/*.process.test.ts", "**/*.live.test.ts"],
    globalSetup: ["test/real/announce.ts"],
    // One more than there are cores: scenarios wait for sockets and timers much of their time.
    maxWorkers: 3,
    // Loading every file's modules anew would take longer than the tests; none of ours keeps state in a module.
    isolate: false,
    // Nothing here takes long, but for a machine that is busy with something else. A limit says only that a test hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 100_000, interval: 20 } },
  },
});
