import { defineConfig } from "vitest/config";

/** Against real kube-apiservers and etcd. Most of the time they wait for each other, so two files share two cores. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.real.test.ts"],
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
