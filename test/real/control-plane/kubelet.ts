import type { KubeClient, KubeObject } from "./kube-client.ts";
import { podPath, reportRunning } from "./pods.ts";

/** What a kubelet is to a namespace's Pods: one that has a Node runs, ready, at an IPv4 and an IPv6 address of its own; one that terminates goes. */
export class Kubelet implements AsyncDisposable {
  /** IPv4 addresses that have been given out, by Pod. */
  readonly addresses = new Map<string, string>();
  readonly #admin: KubeClient;
  readonly #namespace: string;
  readonly #stop = new AbortController();
  readonly #gone = new Set<string>();
  #watching: Promise<void> = Promise.resolve();
  readonly #work = new Set<Promise<unknown>>();
  #problem: unknown;

  static async start(admin: KubeClient, namespace: string): Promise<Kubelet> {
    const kubelet = new Kubelet(admin, namespace);
    const { items = [], metadata } = await admin.get(kubelet.#path);
    for (const pod of items) kubelet.#see(pod);
    kubelet.#watching = kubelet.#watch(metadata.resourceVersion ?? "");
    return kubelet;
  }

  private constructor(admin: KubeClient, namespace: string) {
    this.#admin = admin;
    this.#namespace = namespace;
  }

  /** @throws Error of anything that went wrong meanwhile. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#watching;
    await Promise.allSettled(this.#work);
    if (this.#problem !== undefined) throw new Error("the kubelet failed", { cause: this.#problem });
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/pods`;
  }

  async #watch(from: string): Promise<void> {
    const path = `${this.#path}?watch=1&resourceVersion=${from}`;
    try {
      for await (const { type, object } of this.#admin.watch(path, this.#stop.signal))
        if (type !== "DELETED") this.#see(object);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#problem = error;
    }
  }

  #see({ metadata: { name = "", deletionTimestamp }, spec, status }: KubeObject): void {
    const pod = { namespace: this.#namespace, name };
    if (deletionTimestamp !== undefined) {
      if (this.#gone.has(name)) return;
      this.#gone.add(name);
      this.#do(this.#admin.delete(podPath(pod), { gracePeriodSeconds: 0 }));
    } else if ((spec as { nodeName?: string }).nodeName !== undefined && !this.addresses.has(name)) {
      if ((status as { podIP?: string }).podIP !== undefined) return;
      const number = this.addresses.size + 1;
      const address = `10.200.${number >> 8}.${number & 255}`;
      this.addresses.set(name, address);
      const ips = [address, `fd00:200::${number.toString(16)}`] as const;
      this.#do(reportRunning(this.#admin, { ...pod, ips }, true));
    }
  }

  #do(work: Promise<unknown>): void {
    const over = work.catch((error: unknown) => {
      // It went between the two: nothing is left to be done for it.
      if (!String(error).includes("answered 404")) this.#problem ??= error;
    });
    this.#work.add(over);
    void over.then(() => this.#work.delete(over));
  }
}
