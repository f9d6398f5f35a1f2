import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A cluster Secret as the default `clusterSecrets` selects it; `data` in plain text. */
export function clusterSecret(
  name: string,
  data: Readonly<Record<string, string>>,
): KubeObject & { readonly data: object } {
  const labels = { "apisix-translator.io/cluster": "true" };
  return {
    metadata: { namespace: "apisix-translator", name, labels },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  };
}
