import type { ProcessGroup } from "../process-groups.ts";
import { ProcessGroups } from "../process-groups.ts";
import { keyVariable } from "../config/admin-key.ts";
import { TranslatorError } from "../errors.ts";
import type { Clock } from "../runtime.ts";
import type { Environment } from "./kube-access.ts";
import type { PluginCall, RunPlugin } from "./exec-credential.ts";

/** A plugin may speak to a cloud's API, but must not keep a cluster waiting for ever. */
const timeout = 60_000;
const maxOutput = 1024 * 1024;

export interface PluginParts {
  readonly clock: Clock;
  /** What plugins inherit, but for the admin key of APISIX, which is none of their business. */
  readonly env: Environment;
  readonly signal?: AbortSignal;
}

/**
 * Runs exec plugins as child processes. One that fails or is given up takes with it what it has started, as a wrapper its
 * real plugin; none outlives `signal`, that of its call, or this process. What a good one leaves running is its own affair.
 */
export function pluginRunner({ clock, env, signal: closing }: PluginParts): RunPlugin {
  const { [keyVariable]: _key, ...inherited } = env;
  const groups = new ProcessGroups();
  return async (call, ended) => {
    const { command, args } = call;
    const signal = AbortSignal.any([closing, ended].filter((each) => each !== undefined));
    if (signal.aborted) throw failure(call, calledOff);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const giveUp = (why: string): void => reject(failure(call, why));
    let group: ProcessGroup;
    try {
      group = groups.start({ command, args, env: { ...inherited, ...call.env } });
    } catch (error) {
      throw failure(call, failed(error));
    }
    const onAbort = (): void => giveUp(calledOff);
    const cancel = clock.after(timeout, () => giveUp(`gave no answer for ${timeout / 1000} s`));
    signal.addEventListener("abort", onAbort, { once: true });
    listen(group, resolve, giveUp);
    try {
      return await promise;
    } catch (error) {
      group.end();
      // Somebody who has left the group may hold it open.
      group.child.stdout.destroy();
      throw error;
    } finally {
      cancel();
      signal.removeEventListener("abort", onAbort);
      groups.forget(group);
    }
  };
}

const calledOff = "was called off";

function listen(
  { child }: ProcessGroup,
  answered: (output: string) => void,
  giveUp: (why: string) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxOutput) giveUp(`answered more than ${maxOutput} bytes`);
  });
  child.stdout.on("error", (error) => giveUp(failed(error)));
  child.on("error", (error) => giveUp(failed(error)));
  child.once("close", (code) => {
    if (code === 0) answered(Buffer.concat(chunks).toString("utf8"));
    else giveUp(`failed: ${code ?? "ended by a signal"}`);
  });
}

function failed(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return `failed: ${typeof code === "string" ? code : "for no known reason"}`;
}

/** What the plugin wrote is not repeated: it may hold what it should have handed over. */
function failure({ command }: PluginCall, why: string): TranslatorError {
  return new TranslatorError("KUBE_CREDENTIALS", `the kubeconfig's exec plugin ${command} ${why}`);
}
