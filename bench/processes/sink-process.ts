/**
 * The cheapest Admin API that the translator believes, in a process of its own: takes every body as it is. What it takes
 * alone is measured beside what it is used for.
 */
import { createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { addressNumber } from "../load/addresses.ts";
import { answer, headOf, readRequests, type SinkRequest } from "../sink/sink-connection.ts";
import { isCollection, SinkStore, type SinkCollection } from "../sink/sink-store.ts";
import type { Recorded, Written } from "./admin-process.ts";
import { sharedNow } from "./protocol.ts";
import { serve } from "./serve.ts";
import { cpuNow, usageNow } from "./usage.ts";

/** PUTs of upstreams, in the order of their arrival. */
export interface SinkArrivals {
  readonly ids: readonly string[];
  /** When each had been received whole. */
  readonly at: Float64Array;
  /** How many nodes it has, and the sum of their addresses' numbers. */
  readonly nodes: Float64Array;
  readonly sums: Float64Array;
}

export type SinkCommands = {
  /** Nothing stands any more. */
  readonly fresh: () => Promise<{ readonly url: string; readonly key: string }>;
  readonly written: () => Written;
  readonly arrivals: () => SinkArrivals;
  /** Upstreams: id and the name of what each stands for. */
  readonly names: () => readonly (readonly [string, string])[];
  /** What stands, as requests that would make it stand. */
  readonly recorded: (collection: SinkCollection, most: number) => readonly Recorded[];
  /** As many routes of strangers, each on a host of its own, and none of theirs besides. */
  readonly strangers: (count: number) => void;
  /** Somebody gives so many of the routes another priority. */
  readonly edit: (count: number) => void;
  /** Moments of writes of routes since they were last asked for. */
  readonly routeWrites: () => Float64Array;
  readonly used: () => { readonly cpu: number; readonly rss: number };
};

const prefix = "/apisix/admin/";
let store = new SinkStore();
let server: Server | undefined;
let arrivals: { id: string; at: number; body: Buffer }[] = [];
let routeWrites: number[] = [];
let window = emptyWindow();

const commands: SinkCommands = {
  async fresh() {
    store = new SinkStore();
    arrivals = [];
    routeWrites = [];
    window = emptyWindow();
    server ??= await listen();
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: "sink-key" };
  },
  written() {
    const { writes, first, last, cpu, lastCpu } = window;
    window = emptyWindow();
    return { writes, refused: 0, first, last, cpu: lastCpu - cpu };
  },
  arrivals() {
    const taken = arrivals;
    arrivals = [];
    const read = taken.map(({ body }) => nodesOf(body));
    return {
      ids: taken.map(({ id }) => id),
      at: Float64Array.from(taken, ({ at }) => at),
      nodes: Float64Array.from(read, ({ nodes }) => nodes),
      sums: Float64Array.from(read, ({ sum }) => sum),
    };
  },
  names: () => [...store.entries("upstreams")].map(([id, body]) => [id, nameOf(body)] as const),
  recorded: (collection, most) =>
    [...store.entries(collection)]
      .slice(0, most)
      .map(([id, body]) => ({ path: `${prefix}${collection}/${id}`, body: body.toString() })),
  strangers(count) {
    for (const [id] of [...store.entries("routes")]) if (id.startsWith("s-")) store.delete("routes", id);
    for (let number = 0; number < count; number++)
      store.put("routes", `s-${number}`, Buffer.from(`{"host":"s-${number}.example.com","uri":"/*"}`));
  },
  edit(count) {
    const ours = [...store.entries("routes")].filter(([id]) => id.startsWith("t-")).slice(0, count);
    for (const [id, body] of ours) {
      const route = JSON.parse(body.toString()) as { readonly priority?: number };
      store.put("routes", id, Buffer.from(JSON.stringify({ ...route, priority: (route.priority ?? 0) + 1 })));
    }
  },
  routeWrites() {
    const taken = Float64Array.from(routeWrites);
    routeWrites = [];
    return taken;
  },
  used: () => ({ cpu: cpuNow(), rss: usageNow().rss }),
};

function listen(): Promise<Server> {
  const listening = createServer((socket) => readRequests(socket, (request) => handle(socket, request)));
  return new Promise((resolve) => {
    listening.listen(0, "127.0.0.1", () => resolve(listening));
  });
}

function handle(socket: Socket, { method, path, body }: SinkRequest): void {
  const [collection = "", id = ""] = path.slice(prefix.length).split("/");
  if (!isCollection(collection)) return answer(socket, 404, '{"error_msg":"Unsupported resource type"}');
  if (method === "GET") return read(socket, collection, id);
  note(collection, id, method, body);
  const said = `{"key":"/apisix/${collection}/${id}","value":{}}`;
  if (method === "PUT") return answer(socket, store.put(collection, id, body) ? 201 : 200, said);
  if (store.delete(collection, id))
    return answer(socket, 200, `{"key":"/apisix/${collection}/${id}","deleted":"1"}`);
  answer(socket, 404, '{"message":"Key not found"}');
}

function read(socket: Socket, collection: SinkCollection, id: string): void {
  if (id !== "") {
    const item = store.read(collection, id);
    return item === undefined
      ? answer(socket, 404, '{"message":"Key not found"}')
      : answer(socket, 200, item);
  }
  const { length, pieces } = store.list(collection);
  socket.write(headOf(200, length));
  sendAll(socket, pieces);
}

function sendAll(socket: Socket, pieces: Generator<Buffer, void>): void {
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    if (socket.write(next.value)) continue;
    socket.once("drain", () => sendAll(socket, pieces));
    return;
  }
}

function note(collection: SinkCollection, id: string, method: string, body: Buffer): void {
  const at = sharedNow();
  if (window.writes === 0) {
    window.first = at;
    window.cpu = cpuNow();
  }
  window.writes += 1;
  window.last = at;
  // Asking the kernel costs more than a write should.
  if (window.writes % 100 === 0) window.lastCpu = cpuNow();
  if (collection !== "upstreams") routeWrites.push(at);
  else if (method === "PUT") arrivals.push({ id, at, body: Buffer.from(body) });
}

function nodesOf(body: Buffer): { readonly nodes: number; readonly sum: number } {
  const { nodes = [] } = JSON.parse(body.toString()) as { nodes?: readonly { host: string }[] };
  return { nodes: nodes.length, sum: nodes.reduce((sum, { host }) => sum + addressNumber(host), 0) };
}

function nameOf(body: Buffer): string {
  const { labels = {} } = JSON.parse(body.toString()) as { labels?: Readonly<Record<string, string>> };
  return labels["translator/name"] ?? "";
}

function emptyWindow(): {
  writes: number;
  first: number;
  last: number;
  cpu: number;
  lastCpu: number;
} {
  return { writes: 0, first: NaN, last: NaN, cpu: 0, lastCpu: 0 };
}

serve(commands);
