import type { Explanation } from "../observe/explanation.ts";
import type { Target } from "../observe/target.ts";
import type { AdminExchange } from "../sim/admin/admin-exchange.ts";
import type { AdminServer } from "../sim/admin/admin-server.ts";
import type { Fleet } from "../sim/kubernetes/fleet.ts";
import type { Audit } from "../write/audit.ts";

/** What the story is played on. */
export interface Stage {
  readonly fleet: Fleet;
  readonly gateway: AdminServer;
  readonly audit: Pick<Audit, "run" | "trouble">;
  readonly explain: (target: Target) => Promise<Explanation>;
  /** One line of the story. */
  readonly tell: (line: string) => void;
  readonly writes: WriteCounter;
  /** Aborted when the demo must end. */
  readonly signal: AbortSignal;
}

export class StoryEnded extends Error {}

const lookEvery = 25;

export function pause(stage: Pick<Stage, "signal">, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = stage;
    if (signal.aborted) return void reject(new StoryEnded());
    const end = (): void => {
      clearTimeout(timer);
      reject(new StoryEnded());
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Waits until the condition holds, at most so many milliseconds; whether it came to hold. */
export async function until(stage: Stage, condition: () => boolean, most: number): Promise<boolean> {
  const deadline = performance.now() + most;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await pause(stage, lookEvery);
  }
  return true;
}

/** A wait that ran out, for the story: what did not happen is told as that, not as if it had. */
export function notSeen(most: number): string {
  return `not seen within ${(most / 1000).toFixed(1)} s`;
}

/** Rejects with StoryEnded when the demo must end, whatever is being waited for. */
export function ending({ signal }: Pick<Stage, "signal">): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(new StoryEnded());
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

type Exchange = Pick<AdminExchange, "method" | "resource" | "id" | "direct">;

/** What the translator wrote, as the gateway's own journal has it. */
export class WriteCounter {
  #exchanges: { readonly method: string; readonly resource: string; readonly id: string }[] = [];

  readonly add = ({ method, resource, id, direct }: Exchange): void => {
    if (direct || method === "GET" || resource === undefined || id === undefined) return;
    this.#exchanges.push({ method, resource, id });
  };

  get mark(): number {
    return this.#exchanges.length;
  }

  /** Since `mark`, of groups that `isOf` names. */
  since(
    mark: number,
    isOf: (id: string) => boolean = () => true,
  ): { upstreams: number; routes: number; deletes: number } {
    const since = this.#exchanges.slice(mark).filter(({ id }) => isOf(id));
    return {
      upstreams: since.filter(({ method, resource }) => method === "PUT" && resource === "upstreams").length,
      routes: since.filter(({ method, resource }) => method === "PUT" && resource === "routes").length,
      deletes: since.filter(({ method }) => method === "DELETE").length,
    };
  }
}

export function count(many: number, one: string): string {
  return `${many === 0 ? "no" : many} ${one}${many === 1 ? "" : "s"}`;
}
