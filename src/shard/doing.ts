import type { KeptKey } from "../filter/kept.ts";
import { sourceKinds } from "../store/source-kinds.ts";

/** Of a group with more members, the first are named: enough to find the rest one death later. */
const mostNamed = 32;
const mostBytes = 32 * 1024;
const headBytes = 4;
const partsEach = 4;

/**
 * What a shard works on, in memory that outlives its thread: whatever ends it, an error, its heap, an endless loop, says by
 * that which objects it was about.
 */
export function newDoing(): SharedArrayBuffer {
  return new SharedArrayBuffer(headBytes + mostBytes);
}

/** The shard's side. */
export class DoingWriter {
  readonly #length: Int32Array;
  readonly #text: Buffer;

  constructor(shared: SharedArrayBuffer) {
    this.#length = new Int32Array(shared, 0, 1);
    this.#text = Buffer.from(shared, headBytes);
  }

  /** Names in Kubernetes are ASCII and hold no line ends. */
  begin(objects: Iterable<KeptKey>): void {
    let text = "";
    let named = 0;
    for (const { cluster, kind, namespace, name } of objects) {
      if (named++ === mostNamed) break;
      text += `${cluster}\n${kind}\n${namespace}\n${name}\n`;
    }
    this.#text.write(text, 0, "latin1");
    Atomics.store(this.#length, 0, Math.min(text.length, mostBytes));
  }

  end(): void {
    Atomics.store(this.#length, 0, 0);
  }
}

/** What the shard was working on; empty: nothing in particular. A thread that is out of its mind may have written anything. */
export function readDoing(shared: SharedArrayBuffer): readonly KeptKey[] {
  const length = Math.max(0, Math.min(mostBytes, Atomics.load(new Int32Array(shared, 0, 1), 0)));
  const parts = Buffer.from(shared, headBytes, length).toString("latin1").split("\n");
  const found: KeptKey[] = [];
  for (let at = 0; at + partsEach < parts.length; at += partsEach) {
    const [cluster = "", objects = "", namespace = "", name = ""] = parts.slice(at, at + partsEach);
    const kind = Object.values(sourceKinds).find((row) => row.objects === objects)?.objects;
    if (kind !== undefined && name !== "") found.push({ cluster, kind, namespace, name });
  }
  return found;
}
