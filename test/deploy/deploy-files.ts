import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";

/** A Kubernetes object, as far as these tests look into it. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly rules?: readonly Rule[];
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
  readonly spec?: unknown;
}

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What of a Deployment's Pod template these tests read. */
export interface DeploymentSpec {
  readonly replicas: number;
  readonly selector: { readonly matchLabels: object };
  readonly template: {
    readonly metadata: { readonly labels: object };
    readonly spec: PodSpec;
  };
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly securityContext: object;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string };
  }[];
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly livenessProbe: object;
  readonly readinessProbe: object;
  readonly securityContext: object;
  readonly resources: object;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

const root = path.join(import.meta.dirname, "../..");

export const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

export const files = (folder: string): string[] =>
  readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);

/** Every document of a text. @throws Error for what is no YAML. */
export function documents(text: string): Manifest[] {
  return parseAllDocuments(text, { strict: true, uniqueKeys: true })
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as Manifest | null;
    })
    .filter((document) => document !== null);
}

export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    (one) => one.kind === kind && (name ?? one.metadata.name) === one.metadata.name,
  );
  if (found.length !== 1) throw new Error(`${found.length} of ${kind} ${name ?? ""}`);
  return found[0]!;
}

export const deploymentOf = (manifests: readonly Manifest[]): DeploymentSpec =>
  only(manifests, "Deployment").spec as DeploymentSpec;
