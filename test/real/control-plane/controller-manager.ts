import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiServer } from "./api-server.ts";
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

/** Without a port it has no health check: it tells of each controller in its log. */
async function allStarted(logFile: string): Promise<boolean> {
  const log = await readFile(logFile, "utf8");
  return controllers.every((name) => log.includes(`"Started controller" controller="${name}"`));
}

/** Starts a kube-controller-manager for one API server, as its admin. `close` ends it for good. */
export async function startControllerManager(server: ApiServer): Promise<ServerProcess> {
  const guard = await ProcessGuard.open(`controllers-${server.name}`);
  const kubeconfig = join(guard.folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigFor(server, server.adminToken, "admin"), { mode: 0o600 });
  const process: ServerProcess = new ServerProcess({
    name: `kube-controller-manager-${server.name}`,
    binary: "kube-controller-manager",
    args: [
      `--kubeconfig=${kubeconfig}`,
      "--authentication-skip-lookup",
      "--leader-elect=false",
      "--secure-port=0",
      `--controllers=${controllers.join(",")}`,
    ],
    guard,
    isReady: () => allStarted(process.logFile),
  });
  await startOrClose(process);
  return process;
}
