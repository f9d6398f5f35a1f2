import { expect, it } from "vitest";
import { readClusterSecret } from "../../src/config/cluster-secret.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

it("options of at most 64 KiB are read, longer ones not even in part", () => {
  const read = (length: number): string | undefined =>
    readClusterSecret("Secret n/east", "east", {
      data: { kubeconfig: base64("{}"), options: base64("weight: 7\nwrong: 1\n#".padEnd(length, "x")) },
    }).fault;
  expect(read(64 * 1024)).toMatch(/wrong: unknown key/);
  expect(read(64 * 1024 + 1)).toMatch(/is not text of at most 64 KiB/);
  expect(read(64 * 1024 + 1)).not.toMatch(/wrong/);
});
