import { expect } from "vitest";
import { startAdminServer } from "../../src/sim/admin/admin-server.ts";
import { GatewayView } from "../pipeline/gateway-view.ts";
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from "./control-plane/control-plane.ts";
import type { KubeClient } from "./control-plane/kube-client.ts";
import { createReadyPod, type PodSpec } from "./control-plane/pods.ts";
import type { TcpProxy } from "../pipeline/tcp-proxy.ts";
import { TranslatorProcess, type TranslatorOptions } from "./translator-process.ts";

const enabled = { "apisix-translator.io/enabled": "true" };
/** Enough for the API server, few enough for two cores. */
const atOnce = 25;

/** Metadata that says so. */
export function declaring(...routes: readonly object[]): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  return { labels: enabled, annotations: { "apisix-translator.io/routes": JSON.stringify(routes) } };
}

/** A proxy before the gateway, or before the API server of a cluster of that name. */
export type Ways = Readonly<Record<string, TcpProxy>>;

/** A kubeconfig that leads through the proxy; the server's certificate is for its address, whatever the port. */
function throughProxy(kubeconfig: string, url: string, proxy: TcpProxy | undefined): string {
  return proxy === undefined ? kubeconfig : kubeconfig.replace(url, `https://127.0.0.1:${proxy.port}`);
}

/** Real clusters, the embedded Admin API, and `run` as processes between them. */
export class Scene {
  readonly plane: ControlPlane;
  readonly view: GatewayView;
  readonly #running: TranslatorProcess[] = [];

  static async open(options: ControlPlaneOptions): Promise<Scene> {
    return new Scene(await startControlPlane(options), new GatewayView(await startAdminServer()));
  }

  private constructor(plane: ControlPlane, view: GatewayView) {
    this.plane = plane;
    this.view = view;
  }

  /** Starts a translator over all clusters; `clusterSettings`: further keys of each of them. Resolves when it is ready. */
  async run(
    settings: object = {},
    clusterSettings: object = {},
    ways: Ways = {},
  ): Promise<TranslatorProcess> {
    const translator = await this.#prepare(settings, clusterSettings, ways);
    await translator.start();
    return translator;
  }

  /** As `run`, and waits for nothing. */
  async launch(settings: object, clusterSettings: object, ways: Ways): Promise<TranslatorProcess> {
    const translator = await this.#prepare(settings, clusterSettings, ways);
    translator.launch();
    return translator;
  }

  async #prepare(settings: object, clusterSettings: object, ways: Ways): Promise<TranslatorProcess> {
    const translator = await TranslatorProcess.create(this.#options(settings, clusterSettings, ways));
    this.#running.push(translator);
    return translator;
  }

  #options(settings: object, clusterSettings: object, ways: Ways): TranslatorOptions {
    const { adminKey, url } = this.view.gateway;
    const { gateway = {}, ...others } = settings as { readonly gateway?: object };
    return {
      clusters: this.plane.clusters.map(({ name, kubeconfig, server }) => ({
        ...{ name, settings: clusterSettings },
        kubeconfig: throughProxy(kubeconfig, server.url, ways[name]),
      })),
      ...{ adminUrl: ways["gateway"]?.url ?? url, adminKey, settings: others, gateway },
    };
  }

  /** Ends the translators that run. */
  async end(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((each) => each.close()));
  }

  async close(): Promise<void> {
    await this.end();
    await this.view.gateway.close();
    await this.plane.close();
  }

  /** Resolves when these writes have been made since `from`, in whatever order. @throws AssertionError where they are others. */
  async wrote(live: TranslatorProcess, from: number, expected: readonly string[]): Promise<void> {
    await live.until(`${expected.length} writes`, () => this.view.mark - from >= expected.length);
    expect(this.view.namedSince(from).toSorted()).toEqual(expected.toSorted());
  }

  /** The test's hand in a cluster. */
  admin(cluster: string): KubeClient {
    return this.plane.cluster(cluster).server.admin;
  }

  /** Ready Pods `NAME-0`, `NAME-1`, …, each with the route `web` under `NAME-0.CLUSTER.example.com`. */
  async createPods(cluster: string, name: string, count: number, more: Partial<PodSpec> = {}): Promise<void> {
    const second = this.plane.clusters.findIndex((each) => each.name === cluster) + 1;
    for (let from = 0; from < count; from += atOnce)
      await Promise.all(
        Array.from({ length: Math.min(atOnce, count - from) }, (_, offset) => {
          const index = from + offset;
          const pod = `${name}-${index}`;
          return createReadyPod(this.admin(cluster), {
            ...{ namespace: "shop", name: pod, ports: [{ containerPort: 8080 }] },
            ...declaring({ name: "web", port: 8080, host: `${pod}.${cluster}.example.com` }),
            ips: [`10.${second}.${index >> 8}.${index & 255}`],
            ...more,
          });
        }),
      );
  }
}
