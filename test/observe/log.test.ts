import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Secret } from "../../src/config/secret.ts";
import { TranslatorError } from "../../src/errors.ts";
import { createLog } from "../../src/observe/log.ts";
import type { LogOptions } from "../../src/observe/log.ts";
import type { Log } from "../../src/runtime.ts";
import { wall } from "./facts.ts";

function logInto(over: Partial<LogOptions> = {}): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const stream = { write: (line: string) => lines.push(line) };
  const log = createLog({ level: "info", format: "json", stream, clock: { wall: () => wall }, ...over });
  return { log, lines };
}

const parsed = (line: string | undefined): unknown => JSON.parse(line ?? "");

describe("createLog", () => {
  it("writes one JSON line a call, with ISO time, level and fields", () => {
    const { log, lines } = logInto();
    log.info({ cluster: "east", count: 3 }, "a list is complete");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]+\n$/);
    expect(parsed(lines[0])).toEqual({
      ...{ time: "2027-01-15T08:00:00.000Z", level: "info", msg: "a list is complete" },
      ...{ cluster: "east", count: 3 },
    });
  });

  it("goes on where lines cannot be written, writes none because of that, and says once how many were lost", () => {
    const tried: string[] = [];
    let isFull = true;
    const pending: (() => void)[] = [];
    const stream: LogOptions["stream"] = {
      write(line, written) {
        tried.push(line);
        const error = isFull ? new Error("ENOSPC") : null;
        pending.push(() => written(error));
      },
    };
    const settle = (): void => pending.splice(0).forEach((each) => each());
    const { log } = logInto({ stream });
    for (let line = 0; line < 3; line++) log.info({ line }, "lost");
    settle();
    expect(tried).toHaveLength(3);
    isFull = false;
    log.info({}, "written");
    settle();
    expect(parsed(tried[4])).toMatchObject({ level: "warn", msg: "log lines were lost", lines: 3 });
    settle();
    log.info({}, "written too");
    settle();
    expect(tried).toHaveLength(6);
  });

  it("says nothing below its level", () => {
    const { log, lines } = logInto({ level: "warn" });
    log.debug({}, "no");
    log.info({}, "no");
    log.child({}).info({}, "no");
    log.warn({}, "yes");
    log.error({}, "yes");
    expect(lines).toHaveLength(2);
  });

  it("gives a child's fields to each of its lines, those of the call winning", () => {
    const { log, lines } = logInto();
    log.child({ stage: "watch", cluster: "east" }).child({ kind: "pods" }).info({ cluster: "west" }, "x");
    expect(parsed(lines[0])).toMatchObject({ stage: "watch", kind: "pods", cluster: "west" });
  });

  it("tells errors by type, code and cause, and the stack of faults of ours alone", () => {
    const { log, lines } = logInto();
    const cause = new Error("socket hang up");
    const error = new TranslatorError("ADMIN_STATUS", "answered 500", {
      status: 500,
      cause,
      problems: ["p"],
    });
    log.error({ error, err: new TypeError("x is undefined") }, "fault");
    expect(parsed(lines[0])).toMatchObject({
      error: {
        ...{ type: "TranslatorError", code: "ADMIN_STATUS", message: "answered 500", status: 500 },
        ...{ problems: ["p"], cause: { type: "Error", message: "socket hang up" } },
      },
      err: { type: "TypeError", message: "x is undefined" },
    });
    expect(parsed(lines[0])).not.toHaveProperty("error.stack");
    expect(parsed(lines[0])).toHaveProperty("err.stack", expect.stringContaining("log.test.ts"));
  });

  it("writes no secret, wherever it stands", () => {
    const { log, lines } = logInto();
    const token = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl`;
    const key = "edd1c9f034335f136f87ad84b625c8f1";
    log.child({ headers: { "X-API-KEY": key, Authorization: `Bearer ${key}` } }).error(
      {
        config: new Secret(key),
        ...{ adminKey: key, password: key, token: key, clientKeyData: key, deep: [{ "x-api-key": key }] },
        map: new Map([["authorization", key]]),
        error: new Error(`GET https://admin:${key}@apisix/ with authorization: bearer ${key}`),
        text: `token ${token}`,
        bytes: Buffer.from(key),
        pem: `-----BEGIN RSA PRIVATE KEY-----\n${key}\n-----END RSA PRIVATE KEY-----`,
      },
      "fault",
    );
    expect(lines.join("")).not.toContain(key);
    expect(lines.join("")).not.toContain(token);
    expect(lines.join("")).not.toContain([...Buffer.from(key)].slice(0, 4).join(","));
    expect(lines.join("")).toContain("https://[secret]@apisix/");
  });

  it("keeps names that only look like secrets", () => {
    const { log, lines } = logInto();
    log.info({ namespace: "tokens", tokens: 3, token_count: 4, keys: ["a"], key: "east/pods" }, "x");
    expect(parsed(lines[0])).toMatchObject({
      namespace: "tokens",
      tokens: 3,
      token_count: 4,
      key: "east/pods",
    });
  });

  it("survives whatever it is handed, and stays bounded", () => {
    const { log, lines } = logInto();
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    const hostile = {
      get broken(): string {
        throw new Error("getter");
      },
    };
    log.info({ loop, hostile, big: 10n, fn: () => 1, nan: Number.NaN, level: "x", time: 1, msg: "y" }, "odd");
    log.info({ text: "x".repeat(1_000_000), list: Array.from({ length: 100_000 }, () => 1) }, "long");
    expect(parsed(lines[0])).toMatchObject({ level: "info", msg: "odd", hostile: "[unreadable]", big: "10" });
    expect(lines[1]?.length).toBeLessThan(5000);
  });

  it("writes valid JSON on one line for any fields", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), fc.string(), (fields, message) => {
        const { log, lines } = logInto();
        log.info(fields, message);
        expect(lines).toHaveLength(1);
        expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
        expect(parsed(lines[0])).toMatchObject({ level: "info", msg: message });
      }),
    );
  });

  it("writes text for people: one line, nothing that acts on a terminal", () => {
    const { log, lines } = logInto({ format: "text" });
    log.warn(
      { cluster: "east", reason: "not \u001b[2J well\nreally", list: [1, 2] },
      "a cluster is degraded",
    );
    expect(lines).toEqual([
      '2027-01-15T08:00:00.000Z WARN  a cluster is degraded cluster=east reason="not \\u001b[2J well\\nreally" list=[1,2]\n',
    ]);
    log.info({ reason: "\u009b2J \u2028 \u202e" }, "\u009b2J");
    expect(lines[1]).toBe('2027-01-15T08:00:00.000Z INFO  \ufffd2J reason="\ufffd2J \ufffd \ufffd"\n');
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (fields, message) => {
        const { log: text, lines: written } = logInto({ format: "text" });
        text.info(fields, message);
        expect(written.join("").replace(/\n$/, "")).not.toMatch(/\p{C}/u);
      }),
    );
  });
});
