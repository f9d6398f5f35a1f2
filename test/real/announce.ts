import { findBinaries, missingLine } from "./control-plane/binaries.ts";

/** Says once that the tests against a real control plane are not part of this run, where they could not be. */
export function setup(): void {
  const found = findBinaries(["etcd", "kube-apiserver"]);
  if (!found.ok)
    process.stderr.write(
      `SKIPPED: the tests against a real control plane: ${missingLine(found.missing, found.dir)}\n`,
    );
}
