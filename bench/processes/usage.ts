import { readFileSync } from "node:fs";

/** What a process has used so far and holds now. */
export interface Usage {
  /** Milliseconds of CPU, all threads, user and system. */
  readonly cpu: number;
  /** Bytes: resident now, and the most that ever was (VmHWM). */
  readonly rss: number;
  readonly peak: number;
}

export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Of the thread that asks. */
export function mainCpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Of this process. VmHWM: Linux only; elsewhere the peak is NaN. */
export function usageNow(): Usage {
  return { cpu: cpuNow(), rss: process.memoryUsage.rss(), peak: peak() };
}

function peak(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return NaN;
  }
}
