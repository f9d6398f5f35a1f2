import { readFileSync } from "node:fs";

/** Ticks of /proc/PID/stat in a second, on every Linux that Node runs on. */
const ticksPerSecond = 100;

export interface ProcessUsage {
  /** Bytes. */
  readonly rss: number;
  /** Milliseconds of CPU since its start, all threads. */
  readonly cpu: number;
}

/** Of another process, which notices nothing (Linux). */
export function usageOf(pid: number): ProcessUsage {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name stands in parentheses and may hold anything; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { rss: Number(kilobytes) * 1024, cpu: (ticks / ticksPerSecond) * 1000 };
}
