import type { Kept } from "../../src/filter/kept.ts";
import type { Change } from "../../src/shard/change.ts";
import type { FromShard, Known, ShardOptions, ToShard } from "../../src/shard/protocol.ts";
import { identity } from "./objects.ts";

/**
 * A shard that translates nothing: it holds what it is told, says at `settle` which objects it holds, and throws on an
 * object named `poison`.
 */
export class StubShard {
  readonly options: ShardOptions;
  readonly told: ToShard[] = [];
  readonly held = new Map<string, Kept<Uint8Array>>();
  readonly known = new Map<string, Known>();

  constructor(options: ShardOptions) {
    this.options = options;
  }

  handle(message: ToShard): FromShard[] {
    this.told.push(message);
    switch (message.type) {
      case "batch":
        for (const entry of message.entries) this.#take(entry);
        return [
          { type: "done", seq: message.seq, changes: message.entries.map(({ name }) => changeOf(name)) },
        ];
      case "known":
        for (const entry of message.entries) this.known.set(entry.id, entry);
        return [];
      case "forget":
        for (const id of message.ids) this.known.delete(id);
        return [];
      case "settle":
        return [{ type: "settled", token: message.token, changes: [...this.held.keys()].map(changeOf) }];
      case "want":
        return [{ type: "same", id: message.id, resource: message.resource }];
      case "explain":
        return [
          { type: "explained", token: message.token, declarations: [...this.held.keys()].map(explained) },
        ];
      default:
        return [];
    }
  }

  #take(entry: Kept<Uint8Array>): void {
    if (entry.name === "poison") throw new Error("cannot be digested");
    if (entry.type === "apply") this.held.set(entry.name, entry);
    else this.held.delete(entry.name);
  }
}

function changeOf(name: string): Change {
  const stand = { type: "frozen", nodes: 0, bare: false, upstream: true } as const;
  return { id: `t-${name}`, identity: identity(name), counts: {}, stand };
}

function explained(name: string) {
  const about = { cluster: "east", kind: "pod", namespace: "shop", name, route: "web" } as const;
  return { ...about, state: "Valid" as const, reason: "", hosts: [], uris: [], id: `t-${name}`, nodes: 1 };
}
