export interface KubeconfigParts {
  readonly name: string;
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** A kubeconfig with one cluster, one user with a token, and one context, which is the current one (JSON is YAML). */
export function kubeconfigText(parts: KubeconfigParts): string {
  const { name, url, ca, token } = parts;
  const user = `translator@${name}`;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server: url, "certificate-authority-data": Buffer.from(ca).toString("base64") } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: user, context: { cluster: name, user } }],
    "current-context": user,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
