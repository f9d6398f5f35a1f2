import type { KubeClient } from "./kube-client.ts";

const discovery = "/apis/discovery.k8s.io/v1";

export interface ManualService {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of its one port, and of its endpoints'. */
  readonly port: number;
  readonly addresses: readonly string[];
}

/** A Service without a selector and one EndpointSlice that somebody wrote for it, with its labels, all endpoints ready. */
export async function createManualService(admin: KubeClient, service: ManualService): Promise<void> {
  const { namespace, name, labels, annotations, port, addresses } = service;
  await admin.create(`/api/v1/namespaces/${namespace}/services`, {
    metadata: { name, labels, annotations },
    spec: { ports: [{ name: "http", port }] },
  });
  await admin.create(`${discovery}/namespaces/${namespace}/endpointslices`, {
    metadata: { name: `${name}-1`, labels: { ...labels, "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [{ name: "http", port, protocol: "TCP" }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  });
}
