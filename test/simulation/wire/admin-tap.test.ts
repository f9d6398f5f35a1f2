import { expect, it } from "vitest";
import type { AdminResponse } from "../../../src/apisix/transport.ts";
import { SeededRandom } from "../seeded-random.ts";
import { VirtualTime } from "../virtual-time.ts";
import { AdminTap } from "./admin-tap.ts";
import { Gate } from "./gate.ts";
import { Knowledge } from "./knowledge.ts";

const id = "t-1";
const stood = { nodes: [] };
const path = `/apisix/admin/upstreams/${id}`;

function answer(status: number, text: string): AdminResponse {
  const body = (async function* pieces() {
    yield await Promise.resolve(Buffer.from(text));
  })();
  return { status, contentType: "text/plain", server: "", body };
}

/** What a process knows of an upstream of which `stood` was known, once a write of it was answered so. */
async function knownAfter(status: number, text: string): Promise<string> {
  const knowledge = new Knowledge();
  knowledge.written("upstreams", id, stood, 0);
  const gate = new Gate({ time: new VirtualTime(new SeededRandom(1), false), origin: 0 });
  const tap = new AdminTap({
    ...{ gate, knowledge, term: 1, nextTag: () => 1, leads: () => true, sent: () => {}, ended: () => {} },
    transport: () => Promise.resolve(answer(status, text)),
  });
  const { body } = await tap.send({ method: "PUT", path, body: `{"nodes":[1]}`, timeout: 1000 });
  for await (const _piece of body);
  const known = knowledge.of("upstreams", id);
  if (known.type !== "value") return known.type;
  return known.value === stood ? "what stood" : "what was written";
}

it.each([
  [200, `{"key":"/apisix/upstreams/${id}"}`, "what was written"],
  [200, "<html>", "unknown"],
  [502, "<html>", "unknown"],
  [503, `{"error_msg":"request timed out"}`, "unknown"],
  [503, `{"error_msg":"has no healthy etcd endpoint available"}`, "what stood"],
  [400, `{"error_msg":"invalid configuration"}`, "what stood"],
  [400, "<html>", "unknown"],
  [401, `{"descr`, "what stood"],
  [403, "<html>", "what stood"],
  [413, "<html>", "what stood"],
  [429, "slow down", "what stood"],
])("a write that is answered with %i, %s: its process knows %s", async (status, text, expected) => {
  expect(await knownAfter(status, text)).toBe(expected);
});
