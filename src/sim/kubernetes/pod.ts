import { createHash } from "node:crypto";
import { kubeTime, type KubeObject, type OwnerReference, type StringMap } from "./kube-object.ts";
import { sourceAnnotations, sourceLabels, type Routes } from "./source-metadata.ts";
import { uidFrom } from "./object-uid.ts";
import { podManagedFields } from "./pod-managed-fields.ts";
import { containerTemplate, podSpecTemplate } from "./pod-template.ts";

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly protocol?: "TCP" | "UDP" | "SCTP";
}

export interface PodOptions {
  /** Default `default`. */
  readonly namespace?: string;
  readonly name: string;
  /** Pod IP; several for dual stack; null: none yet. Default: one of 10.0.0.0/8, by hash of namespace and name. */
  readonly ip?: string | readonly string[] | null;
  /** Default true. */
  readonly ready?: boolean;
  /** Default: Running, or Pending without IP. */
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  /** Ports of the first container. Default one: `http`, 8080. */
  readonly ports?: readonly ContainerPort[];
  /** Ports of a sidecar among the init containers (`restartPolicy: Always`). Default none. */
  readonly sidecarPorts?: readonly ContainerPort[];
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  /** Sets label and annotation that expose it; a string is the annotation's text as it is. */
  readonly routes?: Routes;
  /** Its controller: a name means a ReplicaSet. */
  readonly owner?: string | { readonly kind: string; readonly name: string; readonly uid?: string };
  readonly hostNetwork?: boolean;
  readonly nodeName?: string;
  readonly uid?: string;
  /** `creationTimestamp`, as `2026-03-01T08:00:00Z`. Default: when the store gets it. */
  readonly created?: string;
}

interface PodCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly lastProbeTime: null;
  readonly lastTransitionTime: string;
}

export interface Pod extends KubeObject {
  readonly spec: { readonly containers: readonly object[]; readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly conditions: readonly PodCondition[];
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
  };
}

const started = "2026-01-01T00:00:05Z";
const image = "registry.example.com/shop/web:1.42.0";

/** A Pod as large and as complete as those of real clusters (~5 KB of JSON, half of it managedFields). */
export function pod(options: PodOptions): Pod {
  const labels = { app: appOf(options), ...options.labels, ...sourceLabels(options.routes) };
  const annotations = {
    "prometheus.io/scrape": "true",
    ...options.annotations,
    ...sourceAnnotations(options.routes),
  };
  const owner = ownerReference(options.owner);
  return {
    metadata: {
      name: options.name,
      ...(owner?.kind === "ReplicaSet" ? { generateName: `${owner.name}-` } : {}),
      namespace: options.namespace ?? "default",
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      generation: 1,
      ...(options.created === undefined ? {} : { creationTimestamp: options.created }),
      labels,
      annotations,
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
      managedFields: podManagedFields(labels, annotations, options.ports ?? defaultPorts),
    },
    spec: podSpec(options),
    status: podStatus(options),
  };
}

const defaultPorts: readonly ContainerPort[] = [{ name: "http", containerPort: 8080 }];

function appOf(options: PodOptions): string {
  return options.name.replace(/(-[a-z0-9]{5,10})?-[a-z0-9]+$/, "");
}

function ownerReference(owner: PodOptions["owner"]): OwnerReference | undefined {
  if (owner === undefined) return undefined;
  const { kind, name, uid } =
    typeof owner === "string" ? { kind: "ReplicaSet", name: owner, uid: undefined } : owner;
  const apiVersion = kind === "ReplicationController" ? "v1" : kind === "Job" ? "batch/v1" : "apps/v1";
  return {
    apiVersion,
    kind,
    name,
    uid: uid ?? uidFrom(`${kind}/${name}`),
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Equal specs are one object: Pods of one Deployment on one node share it in memory and on the encoder's table. */
const specs = new Map<string, Pod["spec"]>();

/** Specs that are remembered; more are built afresh each time. */
const rememberedSpecs = 500;

function podSpec(options: PodOptions): Pod["spec"] {
  const { ports = defaultPorts, sidecarPorts, nodeName = "node-1.internal", hostNetwork = false } = options;
  const shape = JSON.stringify([ports, sidecarPorts, nodeName, hostNetwork]);
  const known = specs.get(shape);
  if (known !== undefined) return known;
  const sidecars = sidecarPorts && [container("proxy", sidecarPorts, { restartPolicy: "Always" })];
  const spec = {
    ...podSpecTemplate,
    ...(sidecars === undefined ? {} : { initContainers: sidecars }),
    containers: [container("app", ports, {})],
    nodeName,
    ...(hostNetwork ? { hostNetwork: true } : {}),
  };
  if (specs.size < rememberedSpecs) specs.set(shape, spec);
  return spec;
}

function container(name: string, ports: readonly ContainerPort[], extra: object): object {
  const written = ports.map((port) => ({ ...port, protocol: port.protocol ?? "TCP" }));
  return { name, image, ports: written, ...containerTemplate, ...extra };
}

function podStatus(options: PodOptions): Pod["status"] {
  const ips = podAddresses(options);
  const phase = options.phase ?? (ips.length === 0 ? "Pending" : "Running");
  const ready = (options.ready ?? true) && phase === "Running";
  const [first] = ips;
  return {
    phase,
    conditions: conditions(ready, started),
    hostIP: "192.168.10.11",
    hostIPs: [{ ip: "192.168.10.11" }],
    ...(first === undefined ? {} : { podIP: first, podIPs: ips.map((ip) => ({ ip })) }),
    startTime: started,
    containerStatuses: [containerStatus(ready, options.name)],
    qosClass: "Burstable",
  } as Pod["status"];
}

function podAddresses(options: PodOptions): readonly string[] {
  if (options.ip === null) return [];
  if (options.ip === undefined) {
    const [a = 0, b = 0, c = 0] = createHash("sha256")
      .update(`${options.namespace}/${options.name}`)
      .digest();
    return [`10.${a}.${b}.${1 + (c % 254)}`];
  }
  return typeof options.ip === "string" ? [options.ip] : options.ip;
}

function conditions(ready: boolean, at: string): PodCondition[] {
  const status = ready ? "True" : "False";
  return (
    [
      ["PodReadyToStartContainers", "True"],
      ["Initialized", "True"],
      ["Ready", status],
      ["ContainersReady", status],
      ["PodScheduled", "True"],
    ] as const
  ).map(([type, value]) => ({ type, status: value, lastProbeTime: null, lastTransitionTime: at }));
}

function containerStatus(ready: boolean, seed: string): object {
  const digest = createHash("sha256").update(seed).digest("hex");
  return {
    name: "app",
    state: { running: { startedAt: started } },
    lastState: {},
    ready,
    restartCount: 0,
    image,
    imageID: `registry.example.com/shop/web@sha256:${digest}`,
    containerID: `containerd://${digest}`,
    started: true,
  };
}

/** The Pod as `ready` turns: its conditions and container status. */
export function withReady(object: KubeObject, ready: boolean, atWall = Date.parse(started)): KubeObject {
  const at = kubeTime(atWall);
  const old = object.status as Pod["status"] & { containerStatuses?: readonly object[] };
  const containerStatuses = (old.containerStatuses ?? []).map((status) => ({ ...status, ready }));
  return { ...object, status: { ...old, conditions: conditions(ready, at), containerStatuses } };
}

/** The Pod with another phase; a Pod that ended is not ready either. */
export function withPhase(object: KubeObject, phase: NonNullable<PodOptions["phase"]>): KubeObject {
  const ended = phase === "Succeeded" || phase === "Failed" ? withReady(object, false) : object;
  return { ...ended, status: { ...ended.status, phase } };
}
