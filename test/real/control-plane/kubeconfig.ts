import { stringify } from "yaml";
import type { ApiServer } from "./api-server.ts";

/** Text of a kubeconfig with one context, whose user presents `token`. Cluster and context are named as the server. */
export function kubeconfigFor(
  server: Pick<ApiServer, "name" | "url" | "authority">,
  token: string,
  user = "translator",
): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": server.name,
    clusters: [
      {
        name: server.name,
        cluster: {
          server: server.url,
          "certificate-authority-data": Buffer.from(server.authority).toString("base64"),
        },
      },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: server.name, context: { cluster: server.name, user } }],
  });
}
