import fc from "fast-check";
import { parseTarget } from "../../../src/observe/target.ts";
import type { Running } from "../../observe/http-harness.ts";
import { raw, start } from "../../observe/http-harness.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { FuzzTarget, Verdict } from "../target.ts";

const paths = ["/livez", "/readyz", "/metrics", "/status", "/explain?target=a.example.com/x"];

const requests = fc.record({
  method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "get", "PRI"),
  path: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...paths) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "/guard/approve",
        "/pause",
        "//livez",
        "/../status",
        "/%73tatus",
        "*",
        "http://x/status",
      ),
    },
    { weight: 1, arbitrary: fc.webPath() },
  ),
  headers: fc.array(
    fc.constantFrom(
      "x-a: b",
      "content-length: 3",
      "transfer-encoding: chunked",
      "host: evil",
      "expect: 100-continue",
      "upgrade: h2c",
      "x: ".padEnd(5000, "y"),
    ),
    { maxLength: 3 },
  ),
  body: fc.constantFrom("", "", "abc", "3\r\nabc\r\n0\r\n\r\n"),
  damage: someDamage,
});

/** Bytes on a socket of the public port: it answers what it knows to who asks for it, and nothing else with 200. */
export function httpTarget(): FuzzTarget {
  let running: Promise<Running> | undefined;
  return makeTarget(
    "HTTP requests",
    1,
    requests,
    async ({ method, path, headers, body, damage }): Promise<Verdict> => {
      const { readPort } = await (running ??= start());
      const lines = [`${method} ${path} HTTP/1.1`, "host: a", "connection: close", ...headers, "", body];
      const bytes = damaged(Buffer.from(lines.join("\r\n")), damage);
      // What a server waits for more of is cut short by an end that no request has.
      const answer = await raw(readPort, `${bytes.toString("latin1")}\r\n\r\n\u0000\r\n\r\n`);
      const [, status = ""] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
      const [asked = "", target = ""] = bytes.toString("latin1").split(/\s+/);
      const isKnown = paths.some((known) => known.split("?")[0] === target.split("?")[0]);
      const mayBeGood = isKnown && (asked === "GET" || asked === "HEAD");
      const wrong = status === "200" && !mayBeGood ? `answered 200 to ${asked} ${target}` : undefined;
      return { passed: status !== "" && status !== "400", wrong: status === "500" ? "a fault" : wrong };
    },
    async () => {
      await (await running)?.server.stop();
      running = undefined;
    },
  );
}

const texts = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "a.example.com",
      "*.example.com/x",
      "east/shop/pod/web-1",
      "east/shop/service/web",
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }).map((text) => text.repeat(500)) },
);

/** What `explain` is asked. */
export const questions = makeTarget(
  "explain targets",
  9,
  fc.record({ text: texts, damage: someDamage }),
  ({ text, damage }): Verdict => {
    const asked = damaged(Buffer.from(text), damage).toString("utf8");
    const read = parseTarget(asked);
    if (!read.ok)
      return { passed: false, wrong: read.message === "" ? "refused without a reason" : undefined };
    const wrong =
      asked.length > 4350 || /\s/.test(asked) ? "a target that cannot be one was accepted" : undefined;
    return { passed: true, wrong };
  },
);
