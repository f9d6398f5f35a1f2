import type { TranslatorError } from "../errors.ts";

/** What an operator can do about a kind that cannot be listed or watched. */
export function adviceFor({ code, status, message }: TranslatorError): string {
  if (status === 401 || code === "KUBE_CREDENTIALS") return "check this cluster's credentials";
  if (status === 403) return "grant list and watch on this kind";
  if (code === "KUBE_PROTOCOL") return "check what stands between the translator and the API server";
  if (/\bE[MN]FILE\b/.test(message))
    return "the process is out of file descriptors: raise its limit (ulimit -n); what is held stays as it is";
  return "check that the API server can be reached; what is held stays as it is";
}
