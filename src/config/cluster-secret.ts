import type { ClusterConfig } from "../config.ts";
import { isDnsLabel } from "../declare/dns-label.ts";
import type { InlineKubeconfig } from "../watch/kube-access.ts";
import { parseYaml } from "./file.ts";
import { Problems } from "./problems.ts";
import { secretOptions } from "./schema.ts";
import { Secret } from "./secret.ts";

/** A cluster out of a Secret; `origin` for people: `Secret apisix-translator/east-1`. */
export interface FoundCluster {
  readonly origin: string;
  readonly cluster: ClusterConfig & { readonly inline: InlineKubeconfig };
}

/** What a cluster Secret says: `data.kubeconfig`, and in `data.options` the other keys of an entry of `clusters`. */
export interface ClusterSecretReading {
  /** Undefined where it has no name that a cluster may have. */
  readonly found: FoundCluster | undefined;
  /** What is wrong with it; never quotes the kubeconfig. Undefined: nothing, as far as it can be told from here. */
  readonly fault: string | undefined;
  /** False: what its cluster is called cannot be told; `found` has the Secret's name then. */
  readonly isNamed: boolean;
}

const mostOptions = 64 * 1024;

/** Understands one Secret as the server sent it. `name`: the Secret's, which the cluster has unless its options name it. */
export function readClusterSecret(origin: string, name: string, value: unknown): ClusterSecretReading {
  const data = fieldsOf(fieldsOf(value)["data"]);
  const kubeconfig = decoded(data["kubeconfig"]);
  const problems = new Problems();
  const text = data["options"] === undefined ? "{}" : decoded(data["options"]);
  const isReadable = text !== undefined && text.length <= mostOptions;
  if (!isReadable) problems.add("", "is not text of at most 64 KiB", "options");
  const isBlank = isReadable && text.trim() === "";
  const given = isBlank ? {} : isReadable ? parseYaml(text, "options", problems) : undefined;
  const options = secretOptions.read(given ?? {}, { path: "options", overrides: new Map(), problems });
  const called = options.name ?? name;
  const fault =
    (kubeconfig === undefined ? "data.kubeconfig is missing, or is no text in base64" : undefined) ??
    (problems.lines.length === 0 ? undefined : problems.lines.join("; "));
  if (!isDnsLabel(called)) {
    const why = `${JSON.stringify(called)} is no name for a cluster; allowed: a DNS label, in options.name`;
    return { found: undefined, fault: why, isNamed: false };
  }
  const inline =
    fault === undefined && kubeconfig !== undefined
      ? { origin, text: new Secret(kubeconfig) }
      : { origin, fault: fault ?? "" };
  const cluster = { ...options, name: called, kubeconfig: undefined, inCluster: false, inline };
  const isNamed =
    problems.lines.length === 0 || (given !== undefined && fieldsOf(given)["name"] === options.name);
  return { found: { origin, cluster }, fault, isNamed };
}

function decoded(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "" || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "base64"));
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
