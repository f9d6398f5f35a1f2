import { endpointSlice } from "../../src/sim/kubernetes/endpoint-slice.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { node } from "../../src/sim/kubernetes/node.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import { service } from "../../src/sim/kubernetes/service.ts";
import { placeholders } from "./byte-template.ts";

/** What the clusters of a load hold; `portService`: the Service with `via: nodePort`, for which Nodes are watched. */
export type Shape = "services" | "portService" | "endpointslices" | "pods" | "nodes";

const { number, namespace, version, priority, time, generation, address } = placeholders;
const created = "2026-01-01T00:00:00Z";

/** Host of a Service's route. */
export function hostOf(name: string): string {
  return `${name}.bench.example.com`;
}

/** One object of a shape, with placeholders where objects differ; of a slice these endpoints are ready. */
export function loadObject(shape: Shape, endpoints: number, isReady: (index: number) => boolean): KubeObject {
  const object = objects[shape](endpoints, isReady);
  const uid = `${shapeDigit[shape]}0000000-0000-4000-8000-00000${number}`;
  const metadata = { ...object.metadata, uid, creationTimestamp: created, resourceVersion: version };
  return { ...object, metadata };
}

const shapeDigit: Readonly<Record<Shape, number>> = {
  ...{ services: 1, portService: 2, endpointslices: 3, pods: 4, nodes: 5 },
};

const objects: Readonly<
  Record<Shape, (endpoints: number, isReady: (index: number) => boolean) => KubeObject>
> = {
  services() {
    const name = `svc-${number}`;
    return service({
      ...{ namespace, name, created },
      routes: [{ name: "web", port: "http", host: hostOf(name), priority }],
    });
  },
  portService() {
    const name = `svc-${number}`;
    return service({
      ...{ namespace, name, created, type: "NodePort" },
      ports: [{ name: "http", port: 80, targetPort: 8080, nodePort: 30_080 }],
      routes: [{ name: "web", port: "http", host: hostOf(name), via: "nodePort", priority }],
    });
  },
  endpointslices(endpoints, isReady) {
    const service = `svc-${number}`;
    const slice = endpointSlice({
      ...{ namespace, service },
      endpoints: Array.from({ length: endpoints }, (_, index) => ({
        ip: address(index),
        ...{ ready: isReady(index), serving: true, terminating: false },
        ...{ nodeName: `worker-${index % 8}`, zone: "zone-a", pod: `${service}-6d5f-${100 + index}` },
      })),
    });
    const annotations = { "endpoints.kubernetes.io/last-change-trigger-time": time };
    return { ...slice, metadata: { ...slice.metadata, generation, annotations } };
  },
  pods() {
    const name = `web-${number}`;
    return pod({
      ...{ namespace, name, created, ip: address(0) },
      annotations: { "bench/time": time },
      routes: [{ name: "web", port: 8080, host: hostOf(name) }],
    });
  },
  nodes() {
    const built = node({ name: `node-${number}`, internalIPs: [address(0)] });
    return { ...built, metadata: { ...built.metadata, annotations: { "bench/time": time } } };
  },
};
