import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { TranslatorError } from "../../src/errors.ts";
import { systemClock } from "../../src/runtime.ts";
import { startKubeServer, type KubeServer } from "../../src/sim/kubernetes/kube-server.ts";
import { connectKube, type ConnectOptions } from "../../src/watch/connect-kube.ts";
import type { KubeConnection } from "../../src/watch/kube-connection.ts";
import type { KubeResponse } from "../../src/watch/transport.ts";

export interface KubeconfigParts {
  readonly cluster?: object;
  readonly user?: object;
}

export const pods = "/api/v1/pods?limit=500";
export const watch = "/api/v1/pods?watch=true&resourceVersion=0";

/** An embedded server over HTTPS, a folder for a kubeconfig, and what was opened to them; `close` ends all. */
export class KubeConnections {
  readonly server: KubeServer;
  readonly folder: string;
  readonly #connections: KubeConnection[] = [];
  readonly #others: Server[] = [];

  private constructor(server: KubeServer, folder: string) {
    this.server = server;
    this.folder = folder;
  }

  static async start(): Promise<KubeConnections> {
    const folder = mkdtemp(join(tmpdir(), "connect-kube-"));
    return new KubeConnections(await startKubeServer({ name: "east-1" }), await folder);
  }

  /** Connects through a kubeconfig file that differs from the server's own in these parts. */
  async connect(parts: KubeconfigParts = {}, options: Partial<ConnectOptions> = {}): Promise<KubeConnection> {
    const ca = Buffer.from(this.server.ca).toString("base64");
    const cluster = { server: this.server.url, "certificate-authority-data": ca, ...parts.cluster };
    const config = {
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: parts.user ?? { token: "sim-token" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    };
    const kubeconfig = await this.write("kubeconfig", JSON.stringify(config));
    const address = { name: "east-1", kubeconfig, context: undefined, inCluster: false };
    const connection = await connectKube(address, { clock: systemClock, env: {}, ...options });
    this.#connections.push(connection);
    return connection;
  }

  /** Writes a file beside the kubeconfig; gives its path. */
  async write(name: string, text: string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, text);
    return path;
  }

  /** Starts another server on a free port of 127.0.0.1; gives the port. */
  async listen(other: Server): Promise<number> {
    this.#others.push(other);
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    return (other.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    for (const other of this.#others) {
      other.close();
      other.closeAllConnections();
    }
    await this.server.close();
    await rm(this.folder, { recursive: true });
  }
}

export function get(
  connection: KubeConnection,
  path = pods,
  signal = new AbortController().signal,
): Promise<KubeResponse> {
  return connection({ path, accept: "application/json", signal });
}

export async function text(response: KubeResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The error with which it must reject. */
export async function failure(run: Promise<unknown>): Promise<TranslatorError> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TranslatorError);
  return error as TranslatorError;
}
