import { Election } from "../../src/lead/election.ts";
import { LeaseClient } from "../../src/lead/lease-client.ts";
import type { Clock, Log, LogFields } from "../../src/runtime.ts";
import { silentLog } from "../../src/runtime.ts";
import { EmbeddedCluster } from "../../src/sim/kubernetes/embedded-cluster.ts";
import type { KubeObject } from "../../src/sim/kubernetes/kube-object.ts";
import { memoryKube, type MemoryKube } from "../../src/sim/kubernetes/memory-kube.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";
import { times } from "./leases.ts";

const place = { namespace: "apisix-translator", name: "apisix-translator" };

export interface Elector {
  readonly election: Election;
  /** Its own line to the API server; `stop` cuts it. */
  readonly network: MemoryKube;
  /** `elected`, `lost: …`, and each warning. */
  readonly told: string[];
  /** What was logged as information, with holder, address and reason. */
  readonly noted: string[];
  readonly faults: unknown[];
  /** Milliseconds that its wall clock is off. */
  wallOffset: number;
  /** Connections that it has opened. */
  connections: number;
}

/** Elections of the product over one embedded cluster, in virtual time. */
export class Electors {
  readonly clock = new VirtualClock();
  readonly cluster = new EmbeddedCluster({ name: "home", clock: this.clock, random: () => 0.5 });
  token = "sim-token";

  constructor() {
    this.cluster.store.create("namespaces", { metadata: { name: place.namespace } });
  }

  start(identity: string): Elector {
    const { clock } = this;
    const network = memoryKube(this.cluster);
    const told: string[] = [];
    const noted: string[] = [];
    const faults: unknown[] = [];
    const ownClock: Clock = {
      now: () => clock.now(),
      wall: () => clock.wall() + elector.wallOffset,
      after: (ms, run) => clock.after(ms, run),
      soon: (run) => clock.soon(run),
    };
    const warn = (fields: LogFields, message: string): void =>
      void told.push(`${message}: ${String(fields["reason"])}`);
    const info = ({ holder, address, reason }: LogFields, message: string): void => {
      const more = [holder, address, reason].filter((each) => typeof each === "string").join(", ");
      noted.push(more === "" ? message : `${message}: ${more}`);
    };
    const log: Log = { ...silentLog, info, warn };
    const api = new LeaseClient({
      ...{ clock: ownClock, random: () => 0.5, place, timeout: times.retryPeriod },
      connect: () => {
        elector.connections++;
        return Promise.resolve(
          Object.assign(network.transport(this.token), { close: () => Promise.resolve() }),
        );
      },
    });
    const election = new Election({
      ...{ clock: ownClock, random: () => 0.5, log, api, times, identity },
      address: () => `${identity}:8080`,
      elected: () => told.push("elected"),
      lost: (reason) => told.push(`lost: ${reason}`),
      fault: (error) => faults.push(error),
    });
    const elector: Elector = { election, network, told, noted, faults, wallOffset: 0, connections: 0 };
    election.start();
    return elector;
  }

  /** One that leads, and one that stands by. */
  async two(): Promise<{ readonly a: Elector; readonly b: Elector }> {
    const a = this.start("a");
    await this.clock.advance(10);
    const b = this.start("b");
    await this.clock.advance(10);
    return { a, b };
  }

  async end({ election }: Elector): Promise<void> {
    const ended = election.end();
    await this.clock.advance(5);
    await ended;
  }

  /** Resolves to the milliseconds until it leads; gives up after a minute. */
  async untilLeads({ election }: Elector): Promise<number> {
    const from = this.clock.now();
    while (!election.leads && this.clock.now() - from < 60_000) await this.clock.advance(10);
    return this.clock.now() - from;
  }

  get lease(): KubeObject | undefined {
    return this.cluster.store.get("leases", `${place.namespace}/${place.name}`);
  }

  get spec(): Readonly<Record<string, unknown>> {
    return { ...this.lease?.spec };
  }

  /** `METHOD path` of the requests to Leases since the mark. */
  requests(from = 0): string[] {
    return this.cluster.traffic.requests
      .slice(from)
      .filter(({ resource }) => resource === "leases")
      .map(({ method, verb }) => (method === "GET" ? String(verb) : method));
  }

  get mark(): number {
    return this.cluster.traffic.requests.length;
  }
}
