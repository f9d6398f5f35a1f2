import { accessSync, constants, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** What `build.sh` beside this file builds. */
const binaryNames = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;

export type BinaryName = (typeof binaryNames)[number];

export type Binaries =
  | { readonly ok: true; readonly dir: string }
  | { readonly ok: false; readonly dir: string; readonly missing: readonly BinaryName[] };

/** The folder that `build.sh` fills: `KUBEBUILDER_ASSETS`, else one of the pinned version in the user's cache. */
function binariesFolder(): string {
  const named = process.env["KUBEBUILDER_ASSETS"];
  if (named) return named;
  const pins = readFileSync(new URL("go.mod", import.meta.url), "utf8");
  const version = /^\s*k8s\.io\/kubernetes v(\S+)/m.exec(pins)?.[1];
  if (version === undefined) throw new Error("go.mod beside the control plane pins no k8s.io/kubernetes");
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  return join(cache, "apisix-translator", `kubernetes-${version}`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the binaries are there; builds nothing. `needed` is all of them where it is left out. */
export function findBinaries(needed: readonly BinaryName[] = binaryNames): Binaries {
  const dir = binariesFolder();
  const missing = needed.filter((name) => !isExecutable(join(dir, name)));
  return missing.length === 0 ? { ok: true, dir } : { ok: false, dir, missing };
}

/** @throws Error when it is not there, naming the command that builds it. */
export function binaryPath(name: BinaryName): string {
  const found = findBinaries([name]);
  if (!found.ok) throw new Error(missingLine(found.missing, found.dir));
  return join(found.dir, name);
}

/** One line that says what is missing, where, and how to build it. */
export function missingLine(missing: readonly BinaryName[], dir: string): string {
  return `no ${missing.join(", ")} in ${dir}; build with test/real/control-plane/build.sh (14 minutes once)`;
}
