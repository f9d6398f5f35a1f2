import { afterAll, beforeAll, expect, it } from "vitest";
import { describeReal } from "./describe-real.ts";
import { startControllerManager } from "./controller-manager.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { ServerProcess } from "./server-process.ts";

const enabled = { "apisix-translator.io/enabled": "true" };
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

describeReal(
  "a real controller manager",
  () => {
    let plane: ControlPlane;
    let manager: ServerProcess;

    beforeAll(async () => {
      plane = await startControlPlane({ clusters: ["solo"] });
      manager = await startControllerManager(plane.cluster("solo").server);
    }, 180_000);

    afterAll(async () => {
      await manager?.close();
      await plane?.close();
    });

    it("writes EndpointSlices that carry their Service's labels", async () => {
      const { admin } = plane.cluster("solo").server;
      const { resourceVersion } = (await admin.get(slices)).metadata;
      const stop = new AbortController();
      const events = admin.watch(`${slices}?watch=1&resourceVersion=${resourceVersion}`, stop.signal);
      await admin.create("/api/v1/namespaces/default/services", {
        metadata: { name: "web", labels: enabled },
        spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
      });
      const { value } = await events.next();
      expect(value?.object.metadata.labels).toMatchObject({
        ...enabled,
        "kubernetes.io/service-name": "web",
      });
      stop.abort();
    }, 60_000);
  },
  ["etcd", "kube-apiserver", "kube-controller-manager"],
);
