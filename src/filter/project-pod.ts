import type { PodProjection } from "../store/projection.ts";
import { isOptedIn, projected, sourceFields, type Projected } from "./project-source.ts";
import {
  FieldError,
  fieldsOf,
  flagOf,
  listOf,
  neededPort,
  neededText,
  textOf,
  type Fields,
} from "./read-fields.ts";

/** The consumed values of a Pod; `consumedPodFields` lists where they stand. */
export function projectPod(value: unknown): Projected<PodProjection> {
  return projected(value, (pod, metadata) => ({
    enabled: isOptedIn(metadata),
    projection: project(pod, metadata),
  }));
}

function project(pod: Fields, metadata: Fields): PodProjection {
  const spec = fieldsOf(pod["spec"], "spec");
  const status = fieldsOf(pod["status"], "status");
  return {
    kind: "pod",
    ...sourceFields(metadata),
    phase: textOf(status["phase"], "status.phase") ?? "",
    ready: isReady(status),
    ips: addresses(status),
    ports: namedPorts(spec),
    controller: controllerKind(metadata),
  };
}

function isReady(status: Fields): boolean {
  for (const entry of listOf(status["conditions"], "status.conditions")) {
    const condition = fieldsOf(entry, "status.conditions[]");
    if (textOf(condition["type"], "status.conditions[].type") !== "Ready") continue;
    return textOf(condition["status"], "status.conditions[].status") === "True";
  }
  return false;
}

function addresses(status: Fields): string[] {
  const listed = listOf(status["podIPs"], "status.podIPs")
    .map((entry) => addressOf(fieldsOf(entry, "status.podIPs[]")["ip"], "status.podIPs[].ip"))
    .filter((ip) => ip !== "");
  if (listed.length > 0) return listed;
  const single = addressOf(status["podIP"], "status.podIP");
  return single === "" ? [] : [single];
}

/** Whether it is a proper address is judged where its family is chosen; here nothing but an address's characters pass. */
function addressOf(value: unknown, path: string): string {
  const text = textOf(value, path) ?? "";
  if (/^[0-9A-Fa-f.:]{0,45}$/.test(text)) return text;
  throw new FieldError(path, "an IP address");
}

/** Init containers count while they keep running: Kubernetes finds a Pod's ports by name in the same order. */
function namedPorts(spec: Fields): (readonly [string, number])[] {
  const ports = new Map<string, number>();
  const containers = listOf(spec["containers"], "spec.containers").map((entry) =>
    fieldsOf(entry, "spec.containers[]"),
  );
  const sidecars = listOf(spec["initContainers"], "spec.initContainers")
    .map((entry) => fieldsOf(entry, "spec.initContainers[]"))
    .filter(
      (container) => textOf(container["restartPolicy"], "spec.initContainers[].restartPolicy") === "Always",
    );
  for (const container of [...containers, ...sidecars]) {
    for (const entry of listOf(container["ports"], "spec.containers[].ports")) {
      const port = fieldsOf(entry, "spec.containers[].ports[]");
      const name = textOf(port["name"], "spec.containers[].ports[].name") ?? "";
      if (name === "" || ports.has(name)) continue;
      ports.set(name, neededPort(port["containerPort"], "spec.containers[].ports[].containerPort"));
    }
  }
  return [...ports].sort(([a], [b]) => (a < b ? -1 : 1));
}

function controllerKind(metadata: Fields): string {
  for (const entry of listOf(metadata["ownerReferences"], "metadata.ownerReferences")) {
    const owner = fieldsOf(entry, "metadata.ownerReferences[]");
    if (!flagOf(owner["controller"], "metadata.ownerReferences[].controller")) continue;
    return neededText(owner["kind"], "metadata.ownerReferences[].kind");
  }
  return "";
}
