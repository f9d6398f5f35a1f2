import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";

/** Memory of this process, in bytes: numbers only, nothing of what the memory holds. */
export function heapReport(): Readonly<Record<string, unknown>> {
  const spaces = getHeapSpaceStatistics().map(({ space_name, space_used_size, space_size }) => ({
    ...{ name: space_name, used: space_used_size, size: space_size },
  }));
  return { memory: process.memoryUsage(), heap: getHeapStatistics(), spaces };
}
