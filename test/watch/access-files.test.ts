import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AccessFiles } from "../../src/watch/access-files.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "access-files-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** `changes` counts what was said. */
async function watched(...paths: string[]) {
  const files = await AccessFiles.of(new VirtualClock(), paths);
  let changes = 0;
  files.start(() => changes++);
  const looks = async (count: number): Promise<void> => {
    for (let look = 0; look < count; look++) await files.look();
  };
  return { files, looks, changes: () => changes };
}

test("what a mounted Secret's symbolic link leads to is looked at, and said once", async () => {
  await mkdir(join(folder, "one"));
  await mkdir(join(folder, "two"));
  await writeFile(join(folder, "one", "token"), "a");
  await writeFile(join(folder, "two", "token"), "b");
  await symlink("one", join(folder, "..data"));
  const { changes, looks } = await watched(join(folder, "..data", "token"));
  await looks(2);
  expect(changes()).toBe(0);
  await symlink("two", join(folder, "..new"));
  await rename(join(folder, "..new"), join(folder, "..data"));
  await looks(4);
  expect(changes()).toBe(1);
});

test("files that are still being replaced are waited for; touched ones, and none at all, say nothing", async () => {
  const [cert, key] = [join(folder, "cert"), join(folder, "key")];
  await writeFile(cert, "1");
  await writeFile(key, "1");
  const { changes, looks, files } = await watched(cert, key);
  await writeFile(cert, "2");
  await looks(1);
  await writeFile(key, "2");
  await looks(1);
  expect(changes()).toBe(0);
  await looks(1);
  expect(changes()).toBe(1);
  await utimes(cert, 1, 1);
  await looks(3);
  expect(changes()).toBe(1);
  await rm(cert);
  await looks(2);
  expect(changes()).toBe(2);
  files.stop();
  await writeFile(cert, "3");
  await looks(3);
  expect(changes()).toBe(2);
});
