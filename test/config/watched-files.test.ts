import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTextFile } from "../../src/config/file.ts";
import { WatchedFiles } from "../../src/config/watched-files.ts";
import { silentLog, type LogFields } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "watched-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A file whose content is good unless it is empty. */
function watched(path: string, first = "one") {
  const said: [string, LogFields][] = [];
  const clock = new VirtualClock();
  const files = new WatchedFiles<string>({
    ...{ what: "the word", paths: [path], first: { value: first, text: first }, clock },
    log: {
      ...silentLog,
      info: (fields, message) => void said.push([message, fields]),
      error: (fields, message) => void said.push([message, fields]),
    },
    read() {
      try {
        const text = readTextFile(path).trim();
        return text === "" ? { ok: false, reason: "is empty" } : { ok: true, value: text, text };
      } catch {
        return { ok: false, reason: "cannot be read" };
      }
    },
  });
  return { files, said, clock };
}

describe("WatchedFiles", () => {
  it("takes what a file says when it is written anew, and says so once", async () => {
    const path = join(folder, "key");
    writeFileSync(path, "one\n");
    const { files, said } = watched(path);
    await files.look();
    expect([files.value, said]).toEqual(["one", []]);
    writeFileSync(path, "two\n");
    await files.look();
    await files.look();
    expect([files.value, said.length]).toEqual(["two", 1]);
  });

  it("follows a mounted Secret: a symbolic link above the file is replaced", async () => {
    const generation = (name: string, word: string): void => {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "key"), word);
      symlinkSync(name, join(folder, "..data_tmp"));
      renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
    };
    generation("..1", "one");
    symlinkSync("..data/key", join(folder, "key"));
    const { files } = watched(join(folder, "key"));
    await files.look();
    expect(files.value).toBe("one");
    generation("..2", "two");
    rmSync(join(folder, "..1"), { recursive: true });
    await files.look();
    expect(files.value).toBe("two");
  });

  it.each([
    ["empty", (path: string) => writeFileSync(path, " \n"), "is empty"],
    ["gone", (path: string) => rmSync(path), "cannot be read"],
  ])("keeps the old one when the new one is %s, says it once, and mends itself", async (_, spoil, reason) => {
    const path = join(folder, "key");
    writeFileSync(path, "one");
    const { files, said } = watched(path);
    await files.look();
    spoil(path);
    for (let times = 0; times < 4; times++) await files.look();
    expect(files.value).toBe("one");
    expect(said).toMatchObject([["a file cannot be used: what it said before is used on", { reason }]]);
    writeFileSync(path, "two");
    await files.look();
    expect(files.value).toBe("two");
    writeFileSync(path, "");
    for (let times = 0; times < 2; times++) await files.look();
    expect(said.map(([message]) => message)).toEqual([
      "a file cannot be used: what it said before is used on",
      "a file has changed: what it says now is used",
      "a file cannot be used: what it said before is used on",
    ]);
  });

  it("says nothing of files that do not fit for a moment while they are replaced", async () => {
    const path = join(folder, "key");
    writeFileSync(path, "one");
    const { files, said } = watched(path);
    writeFileSync(path, "");
    await files.look();
    writeFileSync(path, "two");
    await files.look();
    expect(files.value).toBe("two");
    expect(said).toHaveLength(1);
  });

  it("looks again and again until it is stopped", async () => {
    const path = join(folder, "key");
    writeFileSync(path, "two");
    const { files, clock } = watched(path);
    files.start();
    while (files.value !== "two") {
      await clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    files.stop();
    writeFileSync(path, "three");
    await clock.advance(60_000);
    await files.look();
    expect(files.value).toBe("two");
  });
});
