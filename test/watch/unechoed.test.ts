import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../src/runtime.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { responseError } from "../../src/watch/api-status.ts";
import { KindRequest } from "../../src/watch/kind-request.ts";
import { kindRows } from "../../src/watch/kinds.ts";
import { Turns } from "../../src/watch/turns.ts";
import { unecho, unechoed } from "../../src/unechoed.ts";
import { KubeConnections } from "./kube-connections.ts";

let kube: KubeConnections;

beforeEach(async () => {
  kube = await KubeConnections.start();
});

afterEach(() => kube.close());

test("what a server says at the end of a watch is told without the token that it repeats", async () => {
  const user = { token: "tok-opaque-1f2e3d" };
  kube.server.access.tokens.add(user.token);
  const message = `${"x".repeat(285)} ${user.token} not with ${user.token}`;
  const object = { kind: "Status", code: 500, reason: `Internal ${user.token}`, message };
  const frame = `${JSON.stringify({ type: "ERROR", object })}\n`;
  kube.server.faults.onFrame({ resource: "pods" }, { type: "text", text: frame });
  const transport = await kube.connect({ user });
  // Without a reader of protobuf: it asks for JSON.
  const { pods: row } = kindRows;
  const request = new KindRequest({
    ...{ row, transport, clock: systemClock, random: Math.random },
    ...{ turns: new Turns(systemClock), heard: () => {} },
  });
  const ended = new AbortController();
  const said: string[] = [];
  const watching = request.watch({ resourceVersion: "0" }, 1, ended.signal, {
    opened: () => kube.server.store.create("pods", pod({ namespace: "shop", name: "web-0", routes: [] })),
    frame(each) {
      if (each.type === "error") said.push(each.error.message);
      ended.abort();
      return undefined;
    },
  });
  await watching.catch(() => {});
  expect(said).toEqual([
    expect.stringMatching(/^the server ended the watch with 500: Internal \[secret\]: x+/),
  ]);
  expect(said[0]).not.toMatch(/tok-op/);
});

test("a server that repeats the token in JSON's escapes is told without it too", async () => {
  const token = "s3cret/<token>";
  const text = JSON.stringify({ kind: "Status", code: 403, message: `not with ${token}, please` });
  const escaped = text.replaceAll("/", "\\/").replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
  const authorization = `Bearer ${token}`;
  async function* once(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(escaped);
  }
  const error = await responseError({
    ...{ status: 403, contentType: "application/json", body: unechoed(once(), authorization) },
    unecho: (said) => unecho(said, authorization),
  });
  expect(error.message).toBe("the server answered 403: not with [secret], please");
});

test.each([
  ["a s3cret-token b", "a [secret] b"],
  ["said s3cret-to…", "said [secret]…"],
  ["said s3c…", "said s3c…"],
  ["said nothing…", "said nothing…"],
])("of %s it tells %s", (text, told) => {
  expect(unecho(text, "Bearer s3cret-token")).toBe(told);
});
