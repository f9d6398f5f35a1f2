import type { TranslatorError } from "../errors.ts";
import type { Log } from "../runtime.ts";
import type { Lease } from "./lease.ts";

/** How an answer about the Lease came, or was asked for. */
export type Way = "read" | "watch" | "write";

/** What the log tells of an election: each fault once until it has ended, and each other instance that holds the Lease. */
export class ElectionLog {
  readonly #log: Log;
  /** What failed last in each way, until it succeeds. */
  readonly #problems = new Map<Way, string>();
  /** The other instance that held it last; `""`: none was seen. */
  #holder = "";
  #isReleased = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why the Lease could not be read or written last; undefined: it could. */
  get problem(): string | undefined {
    return this.#problems.values().next().value;
  }

  answered(way: Way): void {
    if (this.#problems.delete(way)) this.#log.info({ way }, "the Lease can be reached again");
  }

  /** `isTold`: false while nobody needs to know. */
  failed(error: TranslatorError, way: Way, isTold: boolean): void {
    const { code, status, message: reason } = error;
    const isNews = !this.#problems.has(way);
    this.#problems.set(way, reason);
    if (!isNews || !isTold) return;
    const advice = leaseAdvice(error);
    this.#log.warn({ way, code, status, reason, advice }, "the Lease cannot be reached");
  }

  /** Another instance holds the Lease. */
  standsBy({ holder, address }: Lease): void {
    this.#isReleased = false;
    if (holder === this.#holder) return;
    this.#holder = holder;
    this.#log.info({ holder, address }, "stands by: another instance holds the Lease");
  }

  /** Nobody holds the Lease, as read or watched. */
  free(): void {
    this.#isReleased = true;
  }

  leads(identity: string): void {
    const reason =
      this.#holder === ""
        ? "nobody held the Lease"
        : `${this.#holder} has ${this.#isReleased ? "released" : "not renewed"} the Lease`;
    this.#log.info({ identity, reason }, "this instance leads");
  }

  lost(reason: string): void {
    const advice =
      "see that the API server of leader.cluster answers in time, and that this process gets CPU; the next start stands by";
    this.#log.error({ reason, problem: this.problem, advice }, "leadership is lost");
  }

  released(): void {
    this.#log.info({}, "the Lease is released: another instance may lead");
  }

  notReleased({ message: reason }: TranslatorError): void {
    const advice = "another instance leads when it has run out";
    this.#log.warn({ reason, advice }, "the Lease could not be released");
  }
}

function leaseAdvice({ code, status }: TranslatorError): string {
  if (status === 403) return "see what RBAC allows on leases";
  if (status === 404) return "see that leader.namespace exists in that cluster";
  if (status === 401 || code === "KUBE_CREDENTIALS") return "see the credentials of leader.cluster";
  if (code === "KUBE_PROTOCOL")
    return "see what stands between the translator and the API server of leader.cluster";
  return "see that the API server of leader.cluster answers";
}
