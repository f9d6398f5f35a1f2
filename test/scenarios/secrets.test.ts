import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generate } from "selfsigned";
import { expect, it } from "vitest";
import { runCommand } from "../../src/commands/cli.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import { startFleet, type FleetCluster } from "../../src/sim/kubernetes/fleet.ts";
import { kubeStatus } from "../../src/sim/kubernetes/kube-status.ts";
import { recordedIo } from "../commands/recorded-io.ts";

/** What each fault would give away. */
const secrets = {
  token: "tok-4f1d8c2ab97e",
  echoed: "tok-echo-77aa31",
  split: "tok-line-one\ntok-line-two",
  password: "pw-0c5b1e99",
  proxy: "pw-proxy-5d21",
  plugin: "plugin-said-3b7",
  adminKey: "key-e8a1f0d3",
  inSecret: "tok-secret-91ce",
  file: "tok-file-2f66",
};

interface Parts {
  readonly user?: object;
  readonly cluster?: object;
}

function kubeconfig({ server }: FleetCluster, { user = {}, cluster = {} }: Parts): string {
  const ca = Buffer.from(server.ca).toString("base64");
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server: server.url, "certificate-authority-data": ca, ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

const text = async (url: string): Promise<string> => (await fetch(url)).text();

it("secrets (keys, tokens, certificates) are in nothing that a faulty run prints, answers or counts", async () => {
  const fleet = await startFleet({ clusters: ["home", "echo"] });
  const gateway = await startAdminServer();
  const stopping = new AbortController();
  try {
    const [home, echo] = [fleet.cluster("home"), fleet.cluster("echo")];
    const expired = await generate([{ name: "commonName", value: "me" }], {
      ...{ keyType: "ec", algorithm: "sha256" },
      ...{ notBeforeDate: new Date(2020, 1), notAfterDate: new Date(2021, 1) },
    });
    const { body: echoed } = {
      body: JSON.stringify({ ...kubeStatus(403), message: `not with ${secrets.echoed}` }),
    };
    const answer = { type: "answer", status: 403, contentType: "application/json", body: echoed } as const;
    echo.server.faults.onRequest({}, answer);
    const base64 = (plain: string): string => Buffer.from(plain).toString("base64");
    const faulty: Readonly<Record<string, string>> = {
      home: home.server.kubeconfig(),
      refused: kubeconfig(home, { user: { token: secrets.token } }),
      echoed: kubeconfig(echo, { user: { token: secrets.echoed } }),
      split: kubeconfig(home, { user: { token: secrets.split } }),
      basic: kubeconfig(home, { user: { username: "me", password: secrets.password } }),
      both: kubeconfig(home, { user: { token: secrets.token, username: "me", password: secrets.password } }),
      proxied: kubeconfig(home, {
        user: { token: secrets.token },
        cluster: { "proxy-url": `http://me:${secrets.proxy}@127.0.0.1:1` },
      }),
      plugged: kubeconfig(home, {
        user: {
          exec: {
            command: "/bin/sh",
            args: ["-c", `echo ${secrets.plugin}; echo ${secrets.plugin} >&2; exit 3`],
          },
        },
      }),
      talking: kubeconfig(home, { user: { exec: { command: "/bin/echo", args: [secrets.plugin] } } }),
      expired: kubeconfig(home, {
        user: { "client-certificate-data": base64(expired.cert), "client-key-data": base64(expired.private) },
      }),
      garbled: kubeconfig(home, { user: { "client-key-data": `%${base64(expired.private)}` } }),
      broken: `users: [{name: u, user: {token: ${secrets.token}`,
      filed: kubeconfig(home, { user: { tokenFile: "token" } }),
    };
    await writeFile(join(fleet.folder, "token"), `${secrets.file}\nand more of it`);
    for (const [name, content] of Object.entries(faulty))
      await writeFile(join(fleet.folder, `${name}.kc`), content);
    const held = { kubeconfig: kubeconfig(home, { user: { token: secrets.inSecret, username: "me" } }) };
    const labels = { "apisix-translator.io/cluster": "true" };
    const metadata = { namespace: "apisix-translator", name: "from-secret", labels };
    const object = {
      metadata,
      data: { kubeconfig: base64(held.kubeconfig), options: base64(`token: ${secrets.inSecret}`) },
    };
    home.store.create("secrets", object);
    await writeFile(join(fleet.folder, "key"), secrets.adminKey);
    const config = {
      clusters: Object.keys(faulty).map((name) => ({ name, kubeconfig: join(fleet.folder, `${name}.kc`) })),
      ...{ clusterSecrets: { cluster: "home" }, leader: { enabled: false }, shards: { count: 1 } },
      gateway: { adminUrls: [gateway.url], adminKeyFile: join(fleet.folder, "key") },
      observe: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", logLevel: "debug" },
    };
    await writeFile(join(fleet.folder, "config.json"), JSON.stringify(config));

    const { io, out, err } = recordedIo({ signal: stopping.signal });
    const running = runCommand(["run", "--config", join(fleet.folder, "config.json")], "1.2.3", {
      ...io,
      readFile: (path) => readFileSync(path, "utf8"),
    });
    const seen = (what: string): Promise<void> => expect.poll(() => err()).toContain(what);
    await seen("translator started");
    const { port } = (
      JSON.parse(
        err()
          .split("\n")
          .find((line) => line.includes("translator started")) ?? "",
      ) as {
        listen: { port: number };
      }
    ).listen;
    const server = `http://127.0.0.1:${port}`;
    const degraded = Object.keys(faulty).slice(1);
    for (const name of degraded) await seen(`"cluster":"${name}","code":`);
    await seen("a cluster Secret cannot be used");
    await seen("APISIX could not be read as a whole");
    // What takes over while running must not give itself away either.
    await writeFile(join(fleet.folder, "home.kc"), faulty["refused"] ?? "");
    await writeFile(join(fleet.folder, "config.json"), `token: ${secrets.token}`);
    await seen("cannot take over");
    await seen("a file cannot be used");
    const answers = await Promise.all(
      ["/status", "/readyz", "/metrics", "/explain?target=home/shop/pod/a", "/livez"].map((path) =>
        text(`${server}${path}`),
      ),
    );
    stopping.abort();
    expect(await running).toBe(0);
    const printed = [out(), err(), ...answers].join("\n");
    expect(printed).toContain("from-secret");
    for (const name of degraded) expect(answers[0]).toContain(`"name":"${name}"`);
    const forms = Object.values(secrets).flatMap((secret) => [
      ...secret.split("\n"),
      base64(secret),
      encodeURIComponent(secret),
    ]);
    const keys = [expired.private, home.server.kubeconfig()].flatMap(
      (pem) => pem.match(/[A-Za-z0-9+/]{40,}/g) ?? [],
    );
    for (const form of [...forms, ...keys, "sim-token", base64(`me:${secrets.password}`)])
      expect(printed).not.toContain(form);
  } finally {
    stopping.abort();
    await gateway.close();
    await fleet.close();
  }
});
