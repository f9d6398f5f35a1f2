/**
 * Loaded into the translator before its own code (`node --expose-gc --import`): counts, from inside, what it holds. Threads
 * load it too, and answer the main thread.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { BroadcastChannel, isMainThread } from "node:worker_threads";
import { serve } from "../../bench/processes/serve.ts";
import type { Holding } from "./holding.ts";

export type ProbeCommands = {
  /** After collection; `threads`: how many shards there are. */
  readonly read: (threads: number) => Promise<Holding>;
};

const mostWait = 10_000;
const channel = new BroadcastChannel("apisix-translator-soak");
channel.unref();

if (isMainThread) {
  if (process.send !== undefined) serve({ read } satisfies ProbeCommands);
} else {
  channel.onmessage = ({ data }) => {
    if (data === "read") void heapNow().then((heap) => channel.postMessage(heap));
  };
}

async function read(threads: number): Promise<Holding> {
  const ofShards = await heapsOfThreads(threads);
  const own = await heapNow();
  const { rss, arrayBuffers } = process.memoryUsage();
  const resources = tally(process.getActiveResourcesInfo());
  const { Timeout: timers = 0 } = resources;
  const files = openFiles();
  return {
    ...{ heap: own.objects, shards: ofShards.objects, code: own.code + ofShards.code },
    ...{ buffers: arrayBuffers, rss, timers, handles: files.length },
    sockets: files.filter((target) => target.startsWith("socket:")).length,
    resources,
  };
}

/** Two rounds: what finalizers let go of in the first is collected in the second. */
async function heapNow(): Promise<Heap> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await sleep(20);
  }
  const used = (spaces: RegExp): number =>
    getHeapSpaceStatistics()
      .filter(({ space_name: name }) => spaces.test(name))
      .reduce((sum, { space_used_size: size }) => sum + size, 0);
  return { objects: used(objectSpaces), code: used(codeSpaces) };
}

/** Compiled code has its own spaces: it grows for hours, as ever more of the program has run often, up to the program's size. */
const objectSpaces = /^(old|new|large_object|new_large_object)_space$/;
const codeSpaces = /^(code|code_large_object|trusted|trusted_large_object)_space$/;

interface Heap {
  readonly objects: number;
  readonly code: number;
}

function heapsOfThreads(threads: number): Promise<Heap> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("a shard does not answer the probe")), mostWait);
    const heaps: Heap[] = [];
    channel.onmessage = ({ data }) => {
      if (typeof data === "object") heaps.push(data as Heap);
      if (heaps.length < threads) return;
      clearTimeout(timer);
      resolve(heaps.reduce((a, b) => ({ objects: a.objects + b.objects, code: a.code + b.code })));
    };
    channel.postMessage("read");
  });
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** What the kernel says is open: Linux only. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // The one that was reading this folder.
      return [];
    }
  });
}
