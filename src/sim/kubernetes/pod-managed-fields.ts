import type { ManagedField, StringMap } from "./kube-object.ts";
import type { ContainerPort } from "./pod.ts";

/** Equal shapes share one object: ten thousand Pods of a few Deployments hold a few of these. */
const shapes = new Map<string, readonly ManagedField[]>();

/** Shapes that are remembered; more are built afresh each time. */
const rememberedShapes = 500;

/** The field sets that kube-controller-manager and kubelet leave on every Pod: about half of its bytes. */
export function podManagedFields(
  labels: StringMap,
  annotations: StringMap,
  ports: readonly ContainerPort[],
): readonly ManagedField[] {
  const shape = JSON.stringify([Object.keys(labels), Object.keys(annotations), ports]);
  const known = shapes.get(shape);
  if (known !== undefined) return known;
  const fields = [controllerFields(labels, annotations, ports), kubeletFields()];
  if (shapes.size < rememberedShapes) shapes.set(shape, fields);
  return fields;
}

function fieldSet(names: readonly string[]): Record<string, object> {
  return Object.fromEntries([".", ...names.map((name) => `f:${name}`)].map((name) => [name, {}]));
}

function controllerFields(
  labels: StringMap,
  annotations: StringMap,
  ports: readonly ContainerPort[],
): ManagedField {
  const probe = {
    ...fieldSet(["failureThreshold", "periodSeconds", "successThreshold", "timeoutSeconds"]),
    "f:httpGet": fieldSet(["path", "port", "scheme"]),
  };
  const portFields = ports.map((port) => [
    `k:${JSON.stringify({ containerPort: port.containerPort, protocol: port.protocol ?? "TCP" })}`,
    fieldSet(["containerPort", "name", "protocol"]),
  ]);
  const container = {
    ...fieldSet(["image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy"]),
    "f:env": { ".": {}, 'k:{"name":"POD_NAME"}': fieldSet(["name", "valueFrom"]) },
    "f:livenessProbe": probe,
    "f:readinessProbe": probe,
    "f:ports": { ".": {}, ...Object.fromEntries(portFields) },
    "f:resources": {
      ".": {},
      "f:limits": fieldSet(["cpu", "memory"]),
      "f:requests": fieldSet(["cpu", "memory"]),
    },
  };
  return {
    manager: "kube-controller-manager",
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:metadata": {
        "f:annotations": fieldSet(Object.keys(annotations)),
        "f:generateName": {},
        "f:labels": fieldSet(Object.keys(labels)),
        "f:ownerReferences": { ".": {}, 'k:{"uid":"31f5485b-7611-4b85-a560-b02dbd5a6500"}': {} },
      },
      "f:spec": {
        "f:containers": { 'k:{"name":"app"}': container },
        "f:dnsPolicy": {},
        "f:enableServiceLinks": {},
        "f:restartPolicy": {},
        "f:schedulerName": {},
        "f:securityContext": {},
        "f:terminationGracePeriodSeconds": {},
      },
    },
  };
}

function kubeletFields(): ManagedField {
  const condition = fieldSet(["lastProbeTime", "lastTransitionTime", "status", "type"]);
  const types = ["ContainersReady", "Initialized", "PodReadyToStartContainers", "Ready"];
  return {
    manager: "kubelet",
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-01T00:00:20Z",
    fieldsType: "FieldsV1",
    fieldsV1: {
      "f:status": {
        "f:conditions": Object.fromEntries(types.map((type) => [`k:{"type":"${type}"}`, condition])),
        "f:containerStatuses": {},
        "f:hostIP": {},
        "f:hostIPs": {},
        "f:phase": {},
        "f:podIP": {},
        "f:podIPs": fieldSet(['k:{"ip":"10.0.0.1"}']),
        "f:startTime": {},
      },
    },
    subresource: "status",
  };
}
