import { execFile } from "node:child_process";
import { TranslatorError } from "../errors.ts";
import type { Environment } from "./kube-access.ts";
import type { PluginCall, RunPlugin } from "./exec-credential.ts";

/** A plugin may speak to a cloud's API, but must not keep a cluster waiting for ever. */
const timeout = 60_000;
const maxBuffer = 1024 * 1024;

/** Runs exec plugins as child processes. `env` is the environment that they inherit; none outlives `signal`. */
export function pluginRunner(env: Environment, signal?: AbortSignal): RunPlugin {
  return (call: PluginCall) =>
    new Promise((resolve, reject) => {
      const options = {
        env: { ...env, ...call.env },
        timeout,
        maxBuffer,
        killSignal: "SIGKILL" as const,
        ...(signal === undefined ? {} : { signal }),
      };
      execFile(call.command, call.args, options, (error, stdout) => {
        if (error === null) resolve(stdout);
        else reject(failure(call.command, error));
      });
    });
}

/** What the plugin wrote is not repeated: it may hold what it should have handed over. */
function failure(command: string, error: Error): TranslatorError {
  const { code, killed } = error as Error & {
    readonly code?: string | number | null;
    readonly killed?: boolean;
  };
  const why =
    killed === true ? `gave no answer for ${timeout / 1000} s` : `failed: ${code ?? "ended by a signal"}`;
  return new TranslatorError("KUBE_CREDENTIALS", `the kubeconfig's exec plugin ${command} ${why}`);
}
