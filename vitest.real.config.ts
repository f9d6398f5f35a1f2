import { defineConfig } from "vitest/config";

/** Against real kube-apiservers and etcd: one file at a time, on two cores. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.real.test.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
