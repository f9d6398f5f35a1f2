import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config, ListenAddress } from "./config.ts";
import { advertisedAddress } from "./lead/advertised-address.ts";
import { Election } from "./lead/election.ts";
import { fencedTransport } from "./lead/fenced-transport.ts";
import { LeaseClient } from "./lead/lease-client.ts";
import { CurrentObserved } from "./observe/current-observed.ts";
import { HttpServer } from "./observe/http-server.ts";
import { Standby } from "./observe/standby.ts";
import type { OutsideOptions } from "./outside.ts";
import { systemClock } from "./runtime.ts";
import { Term } from "./term.ts";
import { connectKube } from "./watch/connect-kube.ts";

/** Milliseconds beyond two request timeouts that an orderly end may take; then the rest is cut off. */
const drainSlack = 5000;
/** What is cut off is not waited for longer than this. */
const abandonWithin = 2000;

export interface InstanceParts extends Omit<OutsideOptions, "around"> {
  /** This instance led, and does not any more: it must end. */
  readonly lost: () => void;
}

/**
 * One instance of the translator. Without election it leads from the start; with it, it stands by, holding nothing, until
 * it is elected, and never stands by again: who has lost ends, and the next start is a standby.
 */
export class Instance {
  readonly #config: Config;
  readonly #parts: InstanceParts;
  readonly #election: Election | undefined;
  readonly #observed: CurrentObserved;
  readonly #http: HttpServer;
  #term: Term | undefined;
  #address = "";
  #isStopping = false;
  #isLost = false;

  constructor(config: Config, parts: InstanceParts) {
    this.#config = config;
    this.#parts = parts;
    const { clusters, leader: lease } = config;
    if (lease.enabled) {
      const election = this.#newElection();
      this.#election = election;
      this.#observed = new CurrentObserved(
        new Standby({ clusters, lease, election, metrics: parts.metrics }),
      );
    } else {
      this.#term = new Term(config, parts);
      this.#observed = new CurrentObserved(this.#term.controller.observation);
    }
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
    return this.#isLost;
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
    this.#election?.start();
    this.#term?.start();
    return addresses;
  }

  /** What is in flight ends, then the Lease is released, then nobody is listened to any more. */
  async stop(): Promise<void> {
    this.#observed.stopping();
    this.#isStopping = true;
    const isDrained = await within(this.#drainLimit(), this.#term?.stop());
    // Only a writer that has stopped may let another one begin.
    if (isDrained) await this.#election?.end();
    else await within(abandonWithin, Promise.all([this.#term?.abandon(), this.#election?.abandon()]));
    await this.#http.stop();
  }

  /** Another instance may lead already: nothing more is sent, nothing is waited for. */
  async abandon(): Promise<void> {
    this.#observed.stopping();
    this.#isStopping = true;
    const ends = [this.#term?.abandon(), this.#election?.abandon(), this.#http.stop()];
    await within(abandonWithin, Promise.all(ends));
  }

  #newElection(): Election {
    const { leader, clusters } = this.#config;
    const { cluster, namespace, lease, duration, renewDeadline, retryPeriod } = leader;
    const { env, log, fault, lost } = this.#parts;
    const clock = systemClock;
    const home = clusters.find(({ name }) => name === cluster);
    if (home === undefined) throw new Error(`leader.cluster ${cluster ?? ""} is not among the clusters`);
    const api = new LeaseClient({
      ...{ clock, random: Math.random, timeout: retryPeriod, place: { namespace, name: lease } },
      connect: () => connectKube(home, { clock, env }),
    });
    return new Election({
      ...{ clock, random: Math.random, log: log.child({ lease: `${namespace}/${lease}` }), api, fault },
      times: { duration, renewDeadline, retryPeriod },
      identity: `${hostname()}_${randomUUID()}`,
      address: () => this.#address,
      elected: () => this.#lead(),
      lost: () => {
        this.#isLost = true;
        lost();
      },
    });
  }

  #lead(): void {
    const election = this.#election;
    if (this.#isStopping || election === undefined) return;
    this.#term = new Term(this.#config, {
      ...this.#parts,
      around: (admin) => fencedTransport(admin, election),
    });
    this.#observed.become(this.#term.controller.observation);
    this.#term.start();
  }

  #drainLimit(): number {
    return 2 * this.#config.gateway.timeout + drainSlack;
  }
}

/** Whether it ended within so many milliseconds; what it rejects with is passed on. */
async function within(ms: number, work: Promise<unknown> | undefined): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const cancel = systemClock.after(ms, () => resolve(false));
  try {
    return await Promise.race([promise, Promise.resolve(work).then(() => true)]);
  } finally {
    cancel();
  }
}
