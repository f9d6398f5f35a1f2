import fc from "fast-check";
import { connect } from "node:net";
import type { Running } from "../../observe/http-harness.ts";
import { start } from "../../observe/http-harness.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { FuzzTarget, Verdict } from "../target.ts";

/** On the public port, and what they answer to GET where nothing is wrong with the question. */
const readPaths = ["/livez", "/readyz", "/metrics", "/status", "/explain"];
const adminPaths = ["/guard/approve", "/audit", "/pause", "/resume", "/accept", "/purge"];

const query = fc.constantFrom(
  "",
  "?",
  "?target=a.example.com/x",
  "?target=east/shop/pod/web-1",
  "?target=%ff%zz",
  "?target=a&target=b",
  "?cluster=east",
  "?batch=b-1",
  `?x=${"y".repeat(4000)}`,
  `?x=${"y".repeat(21_000)}`,
);

const target = fc.oneof(
  { weight: 10, arbitrary: fc.tuple(fc.constantFrom(...readPaths), query).map((parts) => parts.join("")) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...adminPaths), query).map((parts) => parts.join("")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("//livez", "/../status", "/%73tatus", "/status/", "http://x/status", "*"),
  },
  { weight: 1, arbitrary: fc.webPath() },
);

/** As many bytes as are said, or as chunks, or not as they are said. */
const body = fc.constantFrom<readonly [headers: readonly string[], body: string]>(
  [[], ""],
  [["content-length: 3"], "abc"],
  [["transfer-encoding: chunked"], "3\r\nabc\r\n0\r\n\r\n"],
  [["content-length: 70000"], "x".repeat(70_000)],
  [["content-length: 3", "transfer-encoding: chunked"], "abc"],
  [["content-length: 9"], "abc"],
);

const requests = fc.record({
  method: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom("GET", "GET", "HEAD", "POST", "PUT", "DELETE") },
    { weight: 1, arbitrary: fc.constantFrom("TRACE", "get", "PRI", "OPTIONS", "CONNECT") },
  ),
  target,
  headers: fc.array(
    fc.constantFrom(
      "x-a: b",
      "expect: 100-continue",
      "upgrade: h2c",
      "origin: http://evil.example.com",
      "sec-fetch-site: cross-site",
      "sec-fetch-site: none",
      `x: ${"y".repeat(5000)}`,
    ),
    { maxLength: 3 },
  ),
  body: fc.oneof({ weight: 8, arbitrary: fc.constant([[], ""] as const) }, { weight: 2, arbitrary: body }),
  isAdmin: fc.boolean(),
  damage: someDamage,
});

/** Resolves to all that comes back until the server closes; says with its last byte that no more will come. */
function ask(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.end(bytes));
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      received += chunk;
    });
    // A reset after the answer is an end like any other.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve(received));
  });
}

/** What must not have been answered so; undefined: nothing. */
function wrongWith(bytes: Buffer, answer: string, isAdmin: boolean): string | undefined {
  const [, status = ""] =
    /^HTTP\/1\.1 (\d{3}) /.exec(answer.replace(/^HTTP\/1\.1 100 [^]*?\r\n\r\n/, "")) ?? [];
  if (status === "500") return "a fault";
  if (status !== "200") return undefined;
  const text = bytes.toString("latin1");
  const [line = ""] = text.replace(/^(?:\r?\n)+/, "").split(/\r?\n/);
  const [method = "", asked = ""] = line.split(" ");
  const path = asked.split("?")[0] ?? "";
  const isRead = readPaths.includes(path) && (method === "GET" || method === "HEAD");
  if (!isAdmin) return isRead ? undefined : `answered 200 to ${line} on the public port`;
  if (!adminPaths.includes(path) || method !== "POST")
    return `answered 200 to ${line} on the port for admins`;
  const isFromPage = /\r\n(origin|sec-fetch-site): (?!none)/i.test(text.split("\r\n\r\n")[0] ?? "");
  return isFromPage ? "did what a web page asked for" : undefined;
}

/**
 * Bytes on a socket of both ports: each answers what it knows to who asks for it as one has to, and nothing else with
 * 200.
 */
export function httpTarget(): FuzzTarget {
  let running: Promise<Running> | undefined;
  return makeTarget(
    "HTTP requests",
    1,
    requests,
    async ({
      method,
      target: asked,
      headers,
      body: [lengths, content],
      isAdmin,
      damage,
    }): Promise<Verdict> => {
      const { readPort, admin } = await (running ??= start());
      const head = [`${method} ${asked} HTTP/1.1`, "host: a", "connection: close", ...headers, ...lengths];
      const bytes = damaged(Buffer.from(`${head.join("\r\n")}\r\n\r\n${content}`), damage);
      const answer = await ask(isAdmin ? Number(new URL(admin).port) : readPort, bytes);
      // Whatever an endpoint said, the request was understood; its own 400 is JSON that names what is required.
      const passed = /^HTTP\/1\.1 (?!400 Bad|408|431)\d{3} /.test(answer) || /required|allowed:/.test(answer);
      return { passed, wrong: wrongWith(bytes, answer, isAdmin) };
    },
    async () => {
      await (await running)?.server.stop();
      running = undefined;
    },
  );
}
