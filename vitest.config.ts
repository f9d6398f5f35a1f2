import { defineConfig } from "vitest/config";

/** The plain suite: everything but what needs a real control plane (`npm run test:real`). */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "test/real/**/*.real.test.ts"],
    globalSetup: ["test/real/announce.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
