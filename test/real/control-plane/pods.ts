import type { KubeClient, KubeObject } from "./kube-client.ts";

interface PodPort {
  readonly name?: string;
  readonly containerPort: number;
}

export interface PodSpec {
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ports: readonly PodPort[];
  /** The first is `podIP`. */
  readonly ips: readonly [string, ...string[]];
  /** The API server does not ask whether that Node exists. */
  readonly nodeName?: string;
}

export function podPath(pod: { readonly namespace: string; readonly name: string }): string {
  return `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`;
}

export async function createNamespace(admin: KubeClient, name: string): Promise<void> {
  await admin.create("/api/v1/namespaces", { metadata: { name } });
}

/** Creates a Pod as a user does: nobody runs it yet. */
function createPod(admin: KubeClient, pod: PodSpec): Promise<KubeObject> {
  return admin.create(`/api/v1/namespaces/${pod.namespace}/pods`, {
    metadata: { name: pod.name, labels: pod.labels, annotations: pod.annotations },
    spec: {
      nodeName: pod.nodeName ?? "node-1",
      containers: [{ name: "app", image: "app.invalid/app", ports: pod.ports }],
    },
  });
}

/** Reports what a kubelet would: running, with these addresses, ready or not. */
export function reportRunning(
  admin: KubeClient,
  pod: Pick<PodSpec, "namespace" | "name" | "ips">,
  ready: boolean,
): Promise<KubeObject> {
  return admin.patch(`${podPath(pod)}/status`, {
    status: {
      phase: "Running",
      podIP: pod.ips[0],
      podIPs: pod.ips.map((ip) => ({ ip })),
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    },
  });
}

/** Creates a Pod and makes it Ready. */
export async function createReadyPod(admin: KubeClient, pod: PodSpec): Promise<KubeObject> {
  await createPod(admin, pod);
  return reportRunning(admin, pod, true);
}

/** `ip:port` of every Pod of a namespace that does not terminate, sorted. */
export async function podEndpoints(admin: KubeClient, namespace: string, port: number): Promise<string[]> {
  const pods = await admin.list(`/api/v1/namespaces/${namespace}/pods`);
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ status }) => `${(status as { podIP?: string }).podIP ?? "none"}:${port}`)
    .toSorted();
}
