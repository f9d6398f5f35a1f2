import type { LiveGateway } from "../bench.ts";
import type { CannonCommands } from "../processes/cannon-process.ts";
import { Child } from "../processes/child.ts";
import type { EchoCommands } from "../processes/echo-process.ts";
import { quantile } from "../statistics.ts";
import { LiveAdmin } from "./live-admin.ts";

/** Requests a second, through 8 connections. */
export const probeRate = 500;
const host = "probe.bench.example.com";

/** Requests through a real APISIX to a small server beside it, over a route that is nobody's. Its end takes away what the instance has written. */
export class LiveProbe implements AsyncDisposable {
  readonly admin: LiveAdmin;
  readonly #gateway: LiveGateway;
  readonly #instance: string;
  readonly #echo = new Child<EchoCommands>(new URL("../processes/echo-process.ts", import.meta.url));
  readonly #cannon = new Child<CannonCommands>(new URL("../processes/cannon-process.ts", import.meta.url));

  static async open(gateway: LiveGateway, instance: string): Promise<LiveProbe> {
    const probe = new LiveProbe(gateway, instance);
    try {
      await probe.admin.clear(instance);
      await probe.admin.putProbe(host, await probe.#echo.ask("listen"));
      return probe;
    } catch (error) {
      await probe[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(gateway: LiveGateway, instance: string) {
    this.admin = new LiveAdmin(gateway);
    this.#gateway = gateway;
    this.#instance = instance;
  }

  /** Milliseconds, of so many seconds. Throws when more than one request in a hundred failed. */
  async p99(seconds: number): Promise<number> {
    const url = `${this.#gateway.proxyUrl}/`;
    const { times, failed } = await this.#cannon.ask("probe", url, host, probeRate, seconds);
    if (failed > times.length / 100)
      throw new Error(`${failed} of ${times.length} requests through the gateway failed`);
    return quantile([...times], 0.99);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.admin.clear(this.#instance);
    await Promise.all([this.#echo.stop(), this.#cannon.stop()]);
  }
}
