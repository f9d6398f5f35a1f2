import { describe, expect, it } from "vitest";
import { HttpServer } from "../../src/observe/http-server.ts";
import { silentLog, systemClock } from "../../src/runtime.ts";
import { observed } from "./http-harness.ts";
import { serve } from "./serve.ts";

describe("HttpServer", () => {
  it("says which address it cannot listen on, and holds neither", async () => {
    const anyPort = { host: "127.0.0.1", port: 0 };
    const parts = { clock: systemClock, log: silentLog, observed: observed() };
    const { server, read } = await serve();
    const taken = { host: "127.0.0.1", port: Number(new URL(read).port) };
    await expect(new HttpServer({ ...parts, listen: taken, admin: anyPort }).start()).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "observe.listen cannot be listened on",
      problems: [
        expect.stringMatching(
          /^observe\.listen: 127\.0\.0\.1:\d+ is taken; choose another with --observe\.listen$/,
        ),
      ],
    });
    await server.stop();
    await expect(new HttpServer({ ...parts, listen: taken, admin: taken }).start()).rejects.toMatchObject({
      problems: [expect.stringMatching(/^observe\.admin: /)],
    });
    await expect(fetch(`${read}/livez`)).rejects.toThrow();
  });

  it("stops although a client keeps its connection, and may be stopped twice", async () => {
    const { server, read } = await serve();
    await (await fetch(`${read}/livez`)).text();
    await server.stop();
    await server.stop();
    await expect(fetch(`${read}/livez`)).rejects.toThrow();
  });
});
