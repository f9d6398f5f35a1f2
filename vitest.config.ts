import { defineConfig } from "vitest/config";

/** The plain suite: everything but what needs a real control plane (`test:real`) or several processes (`test:processes`). */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.real.test.ts", "**/*.process.test.ts"],
    globalSetup: ["test/real/announce.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
