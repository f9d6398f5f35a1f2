import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openGatewayCredentials } from "../../src/apisix/gateway-credentials.ts";
import { loadConfig } from "../../src/config.ts";
import { readTextFile } from "../../src/config/file.ts";
import { silentLog, type LogFields } from "../../src/runtime.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { testAuthority } from "./test-certificates.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-credentials-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string): void => writeFileSync(join(folder, name), content);

/** The credentials of a configuration that names files in the folder, and what was said of them. */
function opened() {
  const clock = new VirtualClock();
  const said: string[] = [];
  const say = (fields: LogFields, message: string): void =>
    void said.push(`${message}: ${JSON.stringify(fields)}`);
  const file = (name: string): string => join(folder, name);
  const tls = { caFile: file("ca"), certFile: file("crt"), keyFile: file("key") };
  const yaml = JSON.stringify({
    clusters: [{ name: "home", inCluster: true }],
    gateway: { adminUrls: ["https://a:1"], adminKeyFile: file("admin-key"), tls },
  });
  const { gateway } = loadConfig({
    ...{ flags: [{ name: "config", value: "config" }], env: {}, leads: false },
    readFile: (path) => (path === "config" ? yaml : readTextFile(path)),
  });
  const open = () =>
    openGatewayCredentials(gateway, {
      ...{ clock, readFile: readTextFile },
      log: { ...silentLog, info: say, error: say },
    });
  /** Lets the credentials look often enough for anything to be noticed. */
  const looked = async (until: () => boolean): Promise<void> => {
    while (!until()) {
      await clock.advance(2000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { open, said, looked };
}

it("key and TLS files are followed; what cannot be used is not, is said, and never printed", async () => {
  const authority = await testAuthority("own");
  const [one, two] = [await authority.issue("one"), await authority.issue("two")];
  write("admin-key", "key-1\n");
  write("ca", authority.ca);
  write("crt", one.cert);
  write("key", one.key);
  const { open, said, looked } = opened();
  const credentials = open();
  const material = credentials.tls();
  expect(credentials.adminKey()).toBe("key-1");
  expect(material).toMatchObject({ ca: authority.ca, cert: one.cert });

  write("admin-key", " key-2 \n");
  await looked(() => credentials.adminKey() === "key-2");
  expect(credentials.tls()).toBe(material);

  write("admin-key", "two words");
  write("crt", two.cert);
  await looked(() => said.length >= 3);
  expect(credentials.adminKey()).toBe("key-2");
  expect(credentials.tls()).toBe(material);
  expect(said.join("\n")).toContain("is not the key of the certificate in certFile");
  expect(said.join("\n")).toContain("does not hold a key of 1 to 4096 printable ASCII characters");

  write("key", two.key);
  await looked(() => credentials.tls() !== material);
  expect(credentials.tls()).toMatchObject({ cert: two.cert });
  expect(said.join("\n")).not.toMatch(/key-1|key-2|two words|BEGIN/);
  credentials.close();
});

it("opened long after the configuration was read, uses what the files say now, or else what they said", async () => {
  const authority = await testAuthority("own");
  const one = await authority.issue("one");
  for (const [name, content] of Object.entries({ ca: authority.ca, crt: one.cert, key: one.key }))
    write(name, content);
  write("admin-key", "key-1");
  const { open } = opened();
  write("admin-key", "key-2");
  write("crt", "");
  const credentials = open();
  expect(credentials.adminKey()).toBe("key-2");
  expect(credentials.tls()).toMatchObject({ cert: one.cert });
  credentials.close();
});
