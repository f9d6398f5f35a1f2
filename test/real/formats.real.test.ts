import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectEndpointSlice } from "../../src/filter/project-endpoint-slice.ts";
import { projectNode } from "../../src/filter/project-node.ts";
import { projectPod } from "../../src/filter/project-pod.ts";
import { projectService } from "../../src/filter/project-service.ts";
import { systemClock } from "../../src/runtime.ts";
import { connectKube } from "../../src/watch/connect-kube.ts";
import type { Frame, Item } from "../../src/watch/decoder.ts";
import type { Kind } from "../../src/watch/events.ts";
import { KindRequest } from "../../src/watch/kind-request.ts";
import { scopedRows, type KindRow } from "../../src/watch/kinds.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import { Turns } from "../../src/watch/turns.ts";
import { readers } from "../protobuf/readers.ts";
import { startControllerManager } from "./control-plane/controller-manager.ts";
import { type ControlPlane, startControlPlane } from "./control-plane/control-plane.ts";
import { describeReal } from "./control-plane/describe-real.ts";
import { createNamespace, createReadyPod, podPath, reportRunning } from "./control-plane/pods.ts";
import type { ServerProcess } from "./control-plane/server-process.ts";

const project = {
  pods: projectPod,
  services: projectService,
  endpointslices: projectEndpointSlice,
  nodes: projectNode,
} as const;
const kinds = ["pods", "services", "endpointslices", "nodes"] as const satisfies readonly Kind[];

const labels = { "apisix-translator.io/enabled": "true", app: "web" };
const annotations = { "apisix-translator.io/routes": '[{"name":"web","port":"http"}]' };
const place = { namespace: "shop", name: "web-0" };

describeReal(
  "JSON and protobuf of a real API server",
  () => {
    let plane: ControlPlane;
    let manager: ServerProcess;
    let folder: string;
    let connection: KubeConnection;

    beforeAll(async () => {
      plane = await startControlPlane({ clusters: ["solo"] });
      const { server, kubeconfig } = plane.cluster("solo");
      manager = await startControllerManager(server);
      folder = await mkdtemp(join(tmpdir(), "formats-"));
      const path = join(folder, "kubeconfig");
      await writeFile(path, kubeconfig, { mode: 0o600 });
      const address = { name: "solo", kubeconfig: path, context: undefined, inCluster: false };
      connection = await connectKube(address, { clock: systemClock, env: {} });
      await createNamespace(server.admin, "shop");
      await server.admin.create("/api/v1/nodes", { metadata: { name: "node-1" } });
      await server.admin.patch("/api/v1/nodes/node-1/status", {
        status: { addresses: [{ type: "InternalIP", address: "192.168.0.1" }] },
      });
      await createReadyPod(server.admin, {
        ...{ ...place, labels, annotations, ips: ["10.1.0.1"] },
        ports: [{ name: "http", containerPort: 8080 }],
      });
      for (const type of ["ClusterIP", "NodePort"]) {
        await server.admin.create("/api/v1/namespaces/shop/services", {
          metadata: { name: `web-${type.toLowerCase()}`, labels, annotations },
          spec: { type, selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
        });
      }
    }, 240_000);

    afterAll(async () => {
      await connection?.close();
      await manager?.close();
      await plane?.close();
      if (folder !== undefined) await rm(folder, { recursive: true });
    });

    const rowOf = (kind: Kind): KindRow => scopedRows(kind, {}, readers)[0]!;
    /** Asks for JSON alone. */
    function inJson({ reader: _reader, ...row }: KindRow): KindRow {
      return row;
    }

    function requestsOf(row: KindRow): KindRequest {
      const clock = systemClock;
      return new KindRequest({
        ...{
          row,
          transport: connection,
          clock,
          random: Math.random,
          turns: new Turns(clock),
          heard: () => {},
        },
      });
    }

    const seen = (kind: Kind, { key, wire }: Item): unknown => [key, project[kind](wire.value())];

    async function list(row: KindRow) {
      const items: unknown[] = [];
      let fingerprints = 0;
      const end = await requestsOf(row).page("", 1, new AbortController().signal, (item) => {
        items.push(seen(row.kind as Kind, item));
        if (item.wire.fingerprint() !== undefined) fingerprints++;
      });
      return { items, end, fingerprints };
    }

    /** A WatchList up to the end of its initial events. */
    async function watchList(row: KindRow): Promise<unknown[]> {
      const frames: unknown[] = [];
      const stop = new AbortController();
      const frame = (got: Frame): undefined => {
        frames.push(
          got.type === "apply" ? [got.resourceVersion, seen(row.kind as Kind, got.item)] : got.type,
        );
        if (got.type === "bookmark" && got.initialEnd) stop.abort();
      };
      await requestsOf(row)
        .watch("list", 1, stop.signal, { opened: () => {}, frame })
        .catch((error: unknown) => {
          if (!stop.signal.aborted) throw error;
        });
      return frames;
    }

    it("the Services have their slices", async () => {
      await expect
        .poll(async () => (await list(rowOf("endpointslices"))).items.length, { timeout: 60_000 })
        .toBe(2);
    }, 70_000);

    it.each(kinds)("%s: lists give the same, and protobuf is what the server answers", async (kind) => {
      const row = rowOf(kind);
      const [binary, text] = [await list(row), await list(inJson(row))];
      expect(binary.items.length).toBeGreaterThan(0);
      expect(binary.items).toEqual(text.items);
      expect([binary.fingerprints, text.fingerprints]).toEqual([binary.items.length, 0]);
    });

    it.each(kinds)("%s: a WatchList gives the same in both", async (kind) => {
      const frames = await watchList(rowOf(kind));
      expect(frames.at(-1)).toBe("bookmark");
      expect(frames).toEqual(await watchList(inJson(rowOf(kind))));
    });

    it("an error is the same in both, and says why", async () => {
      const fault = (row: KindRow): Promise<unknown> => list(row).catch((error: unknown) => error);
      const row = { ...rowOf("pods"), path: "/api/v1/namespaces/nowhere/configmaps" };
      const refused = await fault(row);
      expect(refused).toMatchObject({
        code: "KUBE_STATUS",
        status: 403,
        message: expect.stringContaining("forbidden"),
      });
      expect(await fault(inJson(row))).toMatchObject({ message: (refused as Error).message });
    });

    it("a write that changes nothing consumed has the fingerprint of what stood; a flip of readiness has not", async () => {
      const { admin } = plane.cluster("solo").server;
      const row = rowOf("pods");
      const { end } = await list(row);
      const told: string[] = [];
      const stop = new AbortController();
      const watching = requestsOf(row)
        .watch({ resourceVersion: end.resourceVersion }, 1, stop.signal, {
          opened: () => {},
          frame(frame) {
            if (frame.type === "apply") told.push(JSON.stringify(frame.item.wire.fingerprint()));
            return undefined;
          },
        })
        .catch(() => {});
      for (const noise of ["a", "b"])
        await admin.patch(podPath(place), { metadata: { annotations: { noise } } });
      await reportRunning(admin, { ...place, ips: ["10.1.0.1"] }, false);
      await expect.poll(() => told.length, { timeout: 30_000 }).toBe(3);
      stop.abort();
      await watching;
      expect(told[1]).toBe(told[0]);
      expect(told[2]).not.toBe(told[0]);
    });
  },
  ["etcd", "kube-apiserver", "kube-controller-manager"],
);
