import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** Where and when a run took place, one line each. */
export function environment(): string[] {
  const [first] = cpus();
  return [
    `date: ${new Date().toISOString()}`,
    `commit: ${commit()}`,
    `machine: ${cpus().length} × ${first?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `system: ${type()} ${release()}, Node ${process.version}`,
    `load average when it began (1, 5, 15 minutes): ${load()}`,
  ];
}

/** More than the machine has cores: others compete for them, and times tell less than CPU. */
export function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(", ");
}

function commit(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
    const changed =
      git("status", "--porcelain", "--", "../src", "../workers", ".", ":!RESULTS.md") === ""
        ? ""
        : ", changed";
    return git("rev-parse", "--short", "HEAD") + changed;
  } catch {
    return "unknown (no git)";
  }
}
