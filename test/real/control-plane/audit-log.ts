import { readFile } from "node:fs/promises";

/** Metadata of every request: of a watch when its answer begins, of any other when it ends. */
export const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`;

export interface AuditedRequest {
  readonly user: string;
  readonly verb: string;
  readonly path: string;
  readonly status: number;
}

/** What an API server was asked, in order. */
export async function readAuditLog(file: string): Promise<readonly AuditedRequest[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { stage, user, verb, requestURI, responseStatus } = JSON.parse(line) as {
      readonly stage?: string;
      readonly user?: { readonly username?: string };
      readonly verb?: string;
      readonly requestURI?: string;
      readonly responseStatus?: { readonly code?: number };
    };
    if ((stage === "ResponseStarted") !== (verb === "watch")) return [];
    const request = { user: user?.username ?? "", verb: verb ?? "", path: requestURI ?? "" };
    return [{ ...request, status: responseStatus?.code ?? 0 }];
  });
}
