import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { runCommand } from "../../src/commands/cli.ts";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import type { AdminServer } from "../../src/sim/admin/admin-server.ts";
import { recordedIo } from "../commands/recorded-io.ts";
import { startControlPlane } from "./control-plane/control-plane.ts";
import type { ControlPlane } from "./control-plane/control-plane.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import type { KubeClient, KubeObject } from "./control-plane/kube-client.ts";
import { createNamespace, createReadyPod, podPath } from "./control-plane/pods.ts";
import { TranslatorProcess } from "./translator-process.ts";

const enabled = { "apisix-translator.io/enabled": "true" };
const declaring = (...routes: object[]): Record<string, string> => ({
  "apisix-translator.io/routes": JSON.stringify(routes),
});
const web = (host: string, more: object = {}): object => ({ name: "web", port: 8080, host, ...more });

describeReal("Events at a real kube-apiserver", () => {
  let plane: ControlPlane;
  let gateway: AdminServer;
  let translator: TranslatorProcess | undefined;
  let admin: KubeClient;

  beforeAll(async () => {
    plane = await startControlPlane({ clusters: ["east"] });
    gateway = await startAdminServer();
    admin = plane.cluster("east").server.admin;
    await createNamespace(admin, "shop");
  });

  afterEach(async () => {
    await translator?.close();
    translator = undefined;
  });

  afterAll(async () => {
    await gateway?.close();
    await plane?.close();
  });

  const run = async (): Promise<TranslatorProcess> => {
    const { url: adminUrl, adminKey } = gateway;
    translator = await TranslatorProcess.start({ clusters: plane.clusters, adminUrl, adminKey });
    return translator;
  };
  const create = (name: string, ...routes: object[]): Promise<KubeObject> =>
    createReadyPod(admin, {
      ...{ namespace: "shop", name, labels: enabled, annotations: declaring(...routes) },
      ...{ ports: [{ containerPort: 8080 }], ips: ["10.1.0.1"] as const },
    });
  const events = async (): Promise<readonly KubeObject[]> =>
    (await admin.get("/apis/events.k8s.io/v1/namespaces/shop/events")).items ?? [];
  /** `Warning Conflict second ×2`, sorted. */
  const told = async (): Promise<string[]> =>
    (await events())
      .map(({ type, reason, regarding, series }) => {
        const { count } = (series ?? {}) as { count?: number };
        return `${String(type)} ${String(reason)} ${(regarding as { name: string }).name}${count === undefined ? "" : ` ×${count}`}`;
      })
      .toSorted();

  it("are accepted with the rights of the README alone, counted on after a restart, and ended", async () => {
    let live = await run();
    await create("first", web("a.example.com"));
    await live.until("its route", () => gateway.admin.store.list("routes").length === 1);
    await create("second", web("a.example.com"));
    await create("third", web("c.example.com", { retries: 99 }));
    await live.until("two Events", async () => (await told()).length === 2);
    expect(await told()).toEqual(["Warning Conflict second", "Warning Invalid third"]);
    const uid = (await admin.get(podPath({ namespace: "shop", name: "second" }))).metadata.uid;
    expect((await events()).find(({ reason }) => reason === "Conflict")).toMatchObject({
      ...{ reportingController: "apisix-translator.io/translator", action: "Translate" },
      regarding: { kind: "Pod", namespace: "shop", name: "second", uid },
      note: "route web: a.example.com/* is held by east/shop/pod/first, route web",
    });

    await live.stop();
    live = await run();
    await live.until("the series", async () => (await told()).every((line) => line.endsWith("×2")));
    await admin.patch(podPath({ namespace: "shop", name: "second" }), {
      metadata: { annotations: declaring(web("b.example.com")) },
    });
    await live.until("the end", async () => (await told()).includes("Normal Routed second"));
    expect(live.output).not.toContain("Events are");
  });

  it("are dropped without a word where the namespace ends", async () => {
    const live = await run();
    await createNamespace(admin, "ending");
    const place = { namespace: "ending", name: "p" };
    await createReadyPod(admin, {
      ...{
        ...place,
        labels: enabled,
        annotations: declaring(web("e.example.com")),
        ports: [{ containerPort: 8080 }],
      },
      ips: ["10.1.0.2"],
    });
    await live.until("its route", () =>
      gateway.admin.store.list("routes").some(({ value }) => JSON.stringify(value).includes("e.example.com")),
    );
    await admin.delete("/api/v1/namespaces/ending");
    await admin.patch(podPath(place), { metadata: { annotations: declaring(web("e_")) } });
    await create("later", web("l_"));
    await live.until("a later one", async () => (await told()).includes("Warning Invalid later"));
    expect(live.output).not.toContain("Events are");
  });

  it("doctor finds all well with these rights, and names the one that is missing", async () => {
    const { url, adminKey } = gateway;
    const live = await run();
    const east = join(live.folder, "east.kubeconfig");
    const doctor = async (settings: object): Promise<{ code: number; out: string }> => {
      const path = join(live.folder, "doctor.json");
      const gatewayOf = { adminUrls: [url] };
      const file = { clusters: [{ name: "east", kubeconfig: east }], gateway: gatewayOf, ...settings };
      await writeFile(path, JSON.stringify(file));
      const { io, out } = recordedIo({
        files: { [path]: JSON.stringify(file) },
        env: { APISIX_ADMIN_KEY: adminKey },
      });
      return { code: await runCommand(["doctor", "--config", path], "0", io), out: out() };
    };
    const well = await doctor({ leader: { enabled: false } });
    expect(well.out).toMatch(/all is well\n$/);
    expect(well.code).toBe(0);
    const leads = await doctor({ leader: { namespace: "shop" } });
    expect(leads.out).toMatch(
      /wrong {2}rights: leases .*not allowed: get, update, watch on the Lease shop\/apisix-translator in east/,
    );
    expect(leads.code).toBe(1);
  });
});
