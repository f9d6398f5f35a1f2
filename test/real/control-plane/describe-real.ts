import { describe, it } from "vitest";
import { type BinaryName, findBinaries, missingLine } from "./binaries.ts";

/**
 * `describe` for a suite that needs the real control plane. Where a binary is missing the suite is skipped with one
 * loud line, or, with `TEST_REAL_REQUIRED=1`, fails.
 */
export function describeReal(
  title: string,
  suite: () => void,
  needed: readonly BinaryName[] = ["etcd", "kube-apiserver"],
): void {
  const found = findBinaries(needed);
  if (found.ok) {
    describe(title, suite);
    return;
  }
  const line = missingLine(found.missing, found.dir);
  if (process.env["TEST_REAL_REQUIRED"] === "1") {
    describe(title, () => {
      it("finds the binaries of the control plane", () => {
        throw new Error(`TEST_REAL_REQUIRED=1, but ${line}`);
      });
    });
    return;
  }
  process.stderr.write(`\n!!!! SKIPPED "${title}": ${line}\n\n`);
  describe.skip(title, suite);
}
