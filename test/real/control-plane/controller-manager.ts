import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "undici";
import type { ApiServer } from "./api-server.ts";
import { freePort } from "./free-port.ts";
import { kubeconfigFor } from "./kubeconfig.ts";
import { ProcessGuard } from "./process-guard.ts";
import { ServerProcess, startOrClose } from "./server-process.ts";

/** What writes EndpointSlices, empties deleted namespaces and rolls Deployments; nothing that expects a kubelet. */
const controllers = [
  "endpointslice-controller",
  "endpointslice-mirroring-controller",
  "namespace-controller",
  "deployment-controller",
  "replicaset-controller",
];

async function isHealthy(agent: Agent, origin: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await agent.request({ origin, path: "/healthz", method: "GET", signal });
    await answer.body.dump();
    return answer.statusCode === 200;
  } catch {
    return false;
  }
}

/** Starts a kube-controller-manager for one API server, as its admin. `close` ends it for good. */
export async function startControllerManager(server: ApiServer): Promise<ServerProcess> {
  const guard = await ProcessGuard.open(`controllers-${server.name}`);
  const kubeconfig = join(guard.folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor(server, server.adminToken, "admin"), { mode: 0o600 });
  const port = await freePort();
  // It signs its own certificate, and its health is no secret.
  const agent = new Agent({ connect: { rejectUnauthorized: false }, pipelining: 0 });
  const process = new ServerProcess({
    name: `kube-controller-manager-${server.name}`,
    binary: "kube-controller-manager",
    args: [
      `--kubeconfig=${kubeconfig}`,
      "--authentication-skip-lookup",
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${guard.folder}`,
      `--controllers=${controllers.join(",")}`,
    ],
    guard,
    isReady: (signal) => isHealthy(agent, `https://127.0.0.1:${port}`, signal),
  });
  await startOrClose(process);
  return process;
}
