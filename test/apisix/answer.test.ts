import { expect, it } from "vitest";
import { readAnswer } from "../../src/apisix/answer.ts";
import { retryAfterOf } from "../../src/apisix/retry-after.ts";

const piece = 64 * 1024;

/** A JSON object of so many bytes, in pieces; counts how many were taken. */
async function read(status: number, bytes: number): Promise<{ isRead: boolean; taken: number }> {
  let taken = 0;
  async function* body(): AsyncGenerator<Uint8Array> {
    const text = Buffer.from(`{"a":"${"x".repeat(bytes - 8)}"}`);
    for (let at = 0; at < text.length; at += piece) {
      taken++;
      yield text.subarray(at, at + piece);
    }
  }
  const { json } = await readAnswer({
    contentType: "application/json",
    status,
    server: "",
    retryAfter: undefined,
    body: body(),
  });
  return { isRead: json !== undefined, taken };
}

it("an object of the Admin API is read up to 8 MiB, and an error up to 64 KiB", async () => {
  expect(await read(200, 8 << 20)).toEqual({ isRead: true, taken: 128 });
  expect(await read(200, 16 << 20)).toEqual({ isRead: false, taken: 129 });
  expect(await read(400, 64 << 10)).toEqual({ isRead: true, taken: 1 });
  expect(await read(400, 16 << 20)).toEqual({ isRead: false, taken: 2 });
});

it("Retry-After is honoured for a minute at most", () => {
  expect(["0", "7", "60", "61", "999999999", "1e9", "-1", undefined].map(retryAfterOf)).toEqual([
    ...[0, 7000, 60_000, 60_000, 60_000],
    ...[undefined, undefined, undefined],
  ]);
});
