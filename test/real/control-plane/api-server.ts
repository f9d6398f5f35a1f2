import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { auditPolicy, readAuditLog, type AuditedRequest } from "./audit-log.ts";
import {
  createAuthority,
  createServiceAccountKeys,
  issueServingCertificate,
  type KeyPair,
} from "./certificates.ts";
import type { Etcd } from "./etcd.ts";
import { freePort } from "./free-port.ts";
import { KubeClient } from "./kube-client.ts";
import { ProcessGuard } from "./process-guard.ts";
import { ServerProcess, startOrClose } from "./server-process.ts";

export interface ApiServerOptions {
  readonly etcd: Etcd;
  /** Lower case letters, digits and hyphens; also the prefix of its keys in etcd, thus its identity. */
  readonly name: string;
  /** Arguments after the harness's own, as `--request-timeout=10s`. */
  readonly args?: readonly string[];
}

export interface ApiServer {
  readonly name: string;
  /** `https://127.0.0.1:PORT`, the same after a restart. */
  readonly url: string;
  /** PEM of the authority that signed its certificate (and may sign clients'). */
  readonly authority: string;
  /** PEM of one that its admin client trusts too, and no kubeconfig. */
  readonly otherAuthority: string;
  /** A bearer token that may do everything. */
  readonly adminToken: string;
  readonly process: ServerProcess;
  /** A client with the admin's rights; closed with the server. */
  readonly admin: KubeClient;
  /** A client with another token; whoever asks for it closes it. */
  clientFor(token: string): KubeClient;
  /** A new serving certificate, signed by `authority` or by the other one; in force after a restart. */
  replaceCertificate(signer: "same" | "other"): Promise<void>;
  /** What it was asked and has answered since its first start. */
  requests(): Promise<readonly AuditedRequest[]>;
  /** Ends it for good and removes its certificates; what it keeps in etcd stays. */
  close(): Promise<void>;
}

interface ServerFiles {
  readonly authority: KeyPair;
  readonly other: KeyPair;
  readonly adminToken: string;
}

async function writeServingCertificate(folder: string, authority: KeyPair): Promise<void> {
  const { cert, key } = await issueServingCertificate(authority);
  await writeFile(join(folder, "serving.crt"), cert, { mode: 0o600 });
  await writeFile(join(folder, "serving.key"), key, { mode: 0o600 });
}

async function writeFiles(folder: string, name: string): Promise<ServerFiles> {
  const authority = await createAuthority(`apisix-translator real ${name}`);
  const other = await createAuthority(`apisix-translator real other ${name}`);
  const keys = createServiceAccountKeys();
  const adminToken = randomBytes(24).toString("hex");
  const files = {
    "ca.crt": authority.cert,
    "service-account.pub": keys.publicKey,
    "service-account.key": keys.privateKey,
    "audit-policy.yaml": auditPolicy,
    "tokens.csv": `${adminToken},admin,admin,"system:masters"\n`,
  };
  await Promise.all(
    Object.entries(files).map(([file, text]) => writeFile(join(folder, file), text, { mode: 0o600 })),
  );
  await writeServingCertificate(folder, authority);
  return { authority, other, adminToken };
}

const auditLog = "audit.log";

function argumentsFor(folder: string, port: number, options: ApiServerOptions): string[] {
  const file = (name: string): string => join(folder, name);
  return [
    `--etcd-servers=${options.etcd.endpoint}`,
    `--etcd-prefix=/${options.name}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    // It would publish its own address, and refuses to publish a loopback address.
    "--endpoint-reconciler-type=none",
    `--tls-cert-file=${file("serving.crt")}`,
    `--tls-private-key-file=${file("serving.key")}`,
    `--client-ca-file=${file("ca.crt")}`,
    `--token-auth-file=${file("tokens.csv")}`,
    "--authorization-mode=RBAC",
    `--audit-policy-file=${file("audit-policy.yaml")}`,
    `--audit-log-path=${file(auditLog)}`,
    "--audit-log-mode=blocking",
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${file("service-account.pub")}`,
    `--service-account-signing-key-file=${file("service-account.key")}`,
    "--service-cluster-ip-range=10.96.0.0/16",
    "--allow-privileged",
    // Pods would wait for a ServiceAccount that only the controller manager makes.
    "--disable-admission-plugins=ServiceAccount",
    // Otherwise an orderly shutdown waits a minute for watches that nobody ends.
    "--shutdown-watch-termination-grace-period=1s",
    ...(options.args ?? []),
  ];
}

/** Whether it is ready and has made the namespace whose uid is the cluster's identity. */
async function isReady(admin: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    for (const path of ["/readyz", "/api/v1/namespaces/kube-system"]) {
      const answer = await admin.request("GET", path, undefined, undefined, signal);
      if (answer.status !== 200) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a kube-apiserver on 127.0.0.1 with RBAC, certificates and tokens of its own, and the namespace `kube-system`.
 *
 * @throws Error with the end of its log when it does not become ready.
 */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const guard = await ProcessGuard.open(`apiserver-${options.name}`);
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const { authority, other, adminToken } = await writeFiles(guard.folder, options.name);
  const trusted = `${authority.cert}\n${other.cert}`;
  const clientFor = (token: string): KubeClient => new KubeClient(url, trusted, token);
  const admin = clientFor(adminToken);
  const process = new ServerProcess({
    name: `kube-apiserver-${options.name}`,
    binary: "kube-apiserver",
    args: argumentsFor(guard.folder, port, options),
    guard,
    isReady: (signal) => isReady(admin, signal),
  });
  const close = async (): Promise<void> => {
    await admin.close();
    await process.close();
  };
  await startOrClose(process, close);
  const requests = (): Promise<readonly AuditedRequest[]> => readAuditLog(join(guard.folder, auditLog));
  return {
    ...{ name: options.name, url, authority: authority.cert, otherAuthority: other.cert, adminToken },
    ...{ process, admin, clientFor, requests, close },
    replaceCertificate: (signer) =>
      writeServingCertificate(guard.folder, signer === "same" ? authority : other),
  };
}
