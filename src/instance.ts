import { hostname } from "node:os";
import type { Config, ListenAddress } from "./config.ts";
import { advertisedAddress } from "./lead/advertised-address.ts";
import type { Election } from "./lead/election.ts";
import { fencedTransport } from "./lead/fenced-transport.ts";
import { abandonWithin, Leadership } from "./leadership.ts";
import type { ElectionActions } from "./leadership.ts";
import { CurrentObserved } from "./observe/current-observed.ts";
import type { Observed } from "./observe/observed.ts";
import { HttpServer } from "./observe/http-server.ts";
import { Standby } from "./observe/standby.ts";
import { openElection } from "./open-election.ts";
import type { OutsideOptions } from "./outside.ts";
import { systemClock } from "./runtime.ts";
import { Term } from "./term.ts";
import { within } from "./within.ts";

/** Milliseconds beyond two request timeouts that an orderly end may take; then the rest is cut off. */
const drainSlack = 5000;

export interface InstanceParts extends Omit<OutsideOptions, "around"> {
  /** This instance led, and does not any more: it must end. */
  readonly lost: () => void;
}

/** One instance of the translator: what it does as leader or standby, and what it tells over HTTP. */
export class Instance {
  #config: Config;
  readonly #parts: InstanceParts;
  readonly #leadership: Leadership<Term>;
  readonly #observed: CurrentObserved;
  readonly #http: HttpServer;
  #address = "";

  constructor(config: Config, parts: InstanceParts) {
    this.#config = config;
    this.#parts = parts;
    const { leader: lease } = config;
    this.#leadership = new Leadership({
      clock: systemClock,
      drainLimit: 2 * config.gateway.timeout + drainSlack,
      election: lease.enabled ? (actions) => this.#election(actions) : undefined,
      newTerm: (fence) =>
        new Term(
          this.#config,
          fence === undefined ? parts : { ...parts, around: (admin) => fencedTransport(admin, fence) },
        ),
      leads: ({ controller }) => this.#observed.become(controller.observation),
      lost: parts.lost,
    });
    const { election, term } = this.#leadership;
    const standby =
      election &&
      new Standby({ clusters: () => this.#config.clusters, lease, election, metrics: parts.metrics });
    this.#observed = observedOf(standby ?? term?.controller.observation, () => this.#address);
    const { listen, admin } = config.observe;
    this.#http = new HttpServer({
      observed: this.#observed,
      listen,
      admin,
      log: parts.log,
      clock: systemClock,
    });
  }

  /** It led, or was about to, and does not. */
  get isLost(): boolean {
    return this.#leadership.isLost;
  }

  /**
   * Listens, then leads or stands by. Resolves to the addresses that are listened on.
   *
   * @throws TranslatorError `CONFIG_INVALID`
   */
  async start(): Promise<{ readonly listen: ListenAddress; readonly admin: ListenAddress }> {
    const { observe } = this.#config;
    const addresses = await this.#http.start();
    this.#address = advertisedAddress({
      ...{ advertise: observe.advertise, podIp: this.#parts.env["POD_IP"] },
      ...{ hostname: hostname(), listen: addresses.listen },
    });
    this.#leadership.start();
    return addresses;
  }

  /** `clusters` and `policy` are others now. */
  configure(config: Config): void {
    this.#config = config;
    this.#leadership.term?.configure(config);
  }

  /** What is in flight ends, then the Lease is released, then nobody is listened to any more. */
  async stop(): Promise<void> {
    this.#observed.stopping();
    await this.#leadership.stop();
    await this.#http.stop();
  }

  /** Another instance may lead already: nothing more is sent, nothing is waited for. */
  async abandon(): Promise<void> {
    this.#observed.stopping();
    const ends = [this.#leadership.abandon(), this.#http.stop()];
    await within(systemClock, abandonWithin, Promise.all(ends));
  }

  #election(actions: ElectionActions): Election {
    const { env, log, fault } = this.#parts;
    const config = (): Config => this.#config;
    return openElection({ config, env, log, fault, actions, address: () => this.#address });
  }
}

function observedOf(first: Observed | undefined, address: () => string): CurrentObserved {
  if (first === undefined) throw new Error("neither a standby nor a leader");
  return new CurrentObserved(first, address);
}
