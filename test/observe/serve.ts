import { expect, onTestFinished } from "vitest";
import type { HttpServerParts } from "../../src/observe/http-server.ts";
import type { Observed } from "../../src/observe/observed.ts";
import { start } from "./http-harness.ts";
import type { Running } from "./http-harness.ts";

/** A server until the end of the test. */
export async function serve(
  over: Partial<Observed> = {},
  parts: Partial<HttpServerParts> = {},
): Promise<Running> {
  const started = await start(over, parts);
  onTestFinished(() => started.server.stop());
  return started;
}

export async function json(response: Response): Promise<unknown> {
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  return response.json();
}

export const post = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { method: "POST", ...init });
