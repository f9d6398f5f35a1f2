import { AdminClient } from "../../src/apisix/admin-client.ts";
import { sealed } from "../../src/apisix/canonical.ts";
import { idOf, labelsOf } from "../../src/apisix/identity.ts";
import { memberLabelPrefix } from "../../src/apisix/labels.ts";
import { takeSnapshot } from "../../src/apisix/snapshot.ts";
import type { Identity, JsonObject, MemberCluster, Resource } from "../../src/apisix/types.ts";
import { pairHost, pairsOf, pairUri } from "../../src/declare/pair.ts";
import type { Pair } from "../../src/declare/pair.ts";
import { silentLog } from "../../src/runtime.ts";
import type { Change, Stand } from "../../src/shard/change.ts";
import { EmbeddedAdmin } from "../../src/sim/admin/embedded-admin.ts";
import { memoryAdminTransport } from "../../src/sim/admin/memory-transport.ts";
import { Audit } from "../../src/write/audit.ts";
import type { Wanted } from "../../src/write/shard-port.ts";
import { Writer } from "../../src/write/writer.ts";
import { VirtualClock } from "../sim/admin/virtual-clock.ts";

const instance = "default";

export interface WriterSettings {
  readonly concurrency?: number;
  readonly deleteGrace?: number;
  readonly maxDeletes?: number;
}

/** The real writer before the embedded Admin API, on a virtual clock; the test speaks as the shards do. */
export class WriterUnderTest {
  readonly clock = new VirtualClock();
  readonly admin = new EmbeddedAdmin({ clock: this.clock, random: () => 0.5 });
  readonly writer: Writer;
  readonly audit: Audit;
  /** `PUT routes/a: 201` of each request that was applied or refused, reads left out. */
  readonly writes: string[] = [];
  /** `route a` of each body that was asked for. */
  readonly wants: string[] = [];
  /** Names of groups whose upstream has no nodes. */
  readonly bare = new Set<string>();
  /** Names of groups whose route APISIX refuses. */
  readonly wrong = new Set<string>();
  /** Names of groups that are out of sight. */
  readonly hidden = new Set<string>();
  /** Names of groups of which a part is out of sight. */
  readonly partlyHidden = new Set<string>();
  /** Fleet groups, by name: clusters that their upstream is to name. */
  readonly members = new Map<string, readonly MemberCluster[]>();
  /** What is answered in place of a body, by `route a`. */
  readonly answers = new Map<string, "same" | "stale">();
  /** What it warned of. */
  readonly warned: string[] = [];
  isForeignKnown = true;
  /** From then on it is known as the audit knows it. */
  #isRouteTaken = false;
  readonly #known = new Map<string, string | undefined>();
  readonly #named = new Map<string, readonly string[]>();
  readonly #ports = new Map<string, number>();
  readonly #names = new Map<string, string>();

  constructor({ concurrency = 8, deleteGrace = 0, maxDeletes = 100 }: WriterSettings = {}) {
    const { clock, admin } = this;
    const transport = memoryAdminTransport(admin, { clock, random: () => 0.5, latency: [1, 1] });
    const client = new AdminClient({ transport, timeout: 1000 });
    const fault = (error: unknown): never => {
      throw error;
    };
    const log = { ...silentLog, warn: (_fields: object, message: string) => void this.warned.push(message) };
    const throttle = { quiet: 0, maxDelay: 0, concurrency, rate: 0, routeInterval: 0, deleteGrace };
    this.writer = new Writer(
      {
        ...{ instance, throttle, policy: { maxRoutesPerNamespace: 0 } },
        guard: { maxDeletes, maxDeleteRatio: maxDeletes === 100 ? 1 : 0 },
      },
      {
        ...{ clock, random: () => 0.5, log, admin: client, fault },
        shards: {
          want: (_identity, id, resource, pairs) => Promise.resolve(this.#body(id, resource, pairs)),
          known: ({ id, upstream, route, members = [] }) => {
            this.#named.set(
              id,
              members.map(([cluster]) => cluster),
            );
            this.#known.set(`upstream ${id}`, upstream?.digest);
            this.#known.set(`route ${id}`, route?.digest);
          },
          forget: () => {},
          kept: () => {},
          letGo: () => {},
        },
        observer: { wrote: () => {}, repaired: () => {} },
        isVisible: ({ identity: { name } }) => !this.hidden.has(name),
        mayGo: ({ identity: { name } }) => !this.partlyHidden.has(name),
        probe: async () => (await client.read("upstream", `t-${"0".repeat(40)}`)).type !== "retry",
        routes: () => 0,
        refreshForeign: () =>
          this.isForeignKnown && this.#isRouteTaken
            ? this.audit.refreshForeign()
            : Promise.resolve(this.isForeignKnown),
        isForeignKnown: (lastTrouble) =>
          this.isForeignKnown && (!this.#isRouteTaken || this.audit.isForeignKnown(lastTrouble)),
        routeTaken: () => {
          this.#isRouteTaken = true;
          this.audit.outdateForeign();
        },
        ...{ recovered: () => {}, touched: () => {}, strayed: () => {}, burstOver: () => {} },
      },
    );
    this.audit = new Audit({
      ...{ clock, log: silentLog, interval: 1e9, writer: this.writer, fault },
      take: (onStrangers, only) =>
        takeSnapshot({
          ...{ transport, clock, instance, onStrangers, timeout: 1000, maxListBytes: 1e9 },
          ...(only === undefined ? {} : { only }),
        }),
    });
    admin.onExchange(({ method, resource, id = "", status, direct }) => {
      if (method !== "GET" && method !== "POST" && !direct)
        this.writes.push(`${method} ${resource}/${this.#nameOf(id)}: ${status}`);
    });
    this.writer.start();
    this.writer.openBursts();
  }

  id(name: string): string {
    const id = idOf(instance, this.#identityOf(name));
    this.#names.set(id, name);
    return id;
  }

  /** The group is declared, with these hosts; the older, the sooner it is served. */
  live(name: string, hosts: readonly string[], { created = 1, route = true, upstream = true } = {}): void {
    const age = { created, cluster: "east", namespace: "shop", name };
    const content = { inherits: false, nodes: 1, bare: false, upstream, route };
    this.say(name, { type: "live", age, pairs: pairsOf(hosts, ["/*"]), ...content });
  }

  /** Its node moves to another port: its upstream is another one, its route is not. */
  move(name: string, hosts: readonly string[]): void {
    this.#otherPort(name);
    this.live(name, hosts, { route: false });
  }

  /** The same of a group whose settings are frozen; `bare`: its node goes, with all that it was read from. */
  moveFrozen(name: string, bare = false): void {
    this.#otherPort(name);
    this.say(name, { type: "frozen", nodes: bare ? 0 : 1, bare, upstream: true });
  }

  gone(name: string, grace = false): void {
    this.say(name, { type: "absent", grace, cause: grace ? "gone" : "undeclared" });
  }

  say(name: string, stand: Stand): void {
    const change: Change = { id: this.id(name), identity: this.#identityOf(name), counts: {}, stand };
    this.writer.words.take(change);
  }

  /** Lets time pass; returns what was written meanwhile. */
  async pass(ms = 100): Promise<string[]> {
    const before = this.writes.length;
    await this.clock.advance(ms);
    return this.writes.slice(before);
  }

  /** What stands is read, as at the start of a term. */
  async look(): Promise<void> {
    const looked = this.audit.run();
    await this.clock.advance(20);
    await looked;
  }

  /** A human, or a stranger. */
  edit(method: "PUT" | "DELETE", collection: string, name: string, body?: JsonObject): void {
    const path = `/apisix/admin/${collection}/${this.id(name)}${method === "DELETE" ? "?force=true" : ""}`;
    this.admin.handle({ method, path, ...(body === undefined ? {} : { body }) });
  }

  /** Digest of what the shard was last told to stand; `""`: its content is not known; undefined: nothing stands. */
  told(resource: Resource, name: string): string | undefined {
    return this.#known.get(`${resource} ${this.id(name)}`);
  }

  /** Clusters that the shard was last told to have, or to come to have, a part in the fleet group. */
  toldMembers(name: string): readonly string[] | undefined {
    return this.#named.get(this.id(name));
  }

  /** Hosts of the route that stands; undefined: none does. */
  hosts(name: string): unknown {
    return this.admin.store.get("routes", this.id(name))?.value["hosts"];
  }

  #otherPort(name: string): void {
    this.#ports.set(name, (this.#ports.get(name) ?? 80) + 1);
  }

  #nameOf(id: string): string {
    return this.#names.get(id) ?? id;
  }

  #body(id: string, resource: Resource, pairs: readonly Pair[] | undefined): Wanted {
    const name = this.#nameOf(id);
    const what = `${resource} ${name}`;
    this.wants.push(what);
    const answer = this.answers.get(what);
    if (answer !== undefined) return { type: answer, id, resource };
    const port = this.#ports.get(name) ?? 80;
    const members = this.members.get(name) ?? [];
    const memberLabels = members.map(([cluster, uid]) => [`${memberLabelPrefix}${cluster}`, uid]);
    const labels = labelsOf(instance, this.#identityOf(name));
    const content: JsonObject =
      pairs === undefined
        ? {
            type: "roundrobin",
            nodes: this.bare.has(name) ? [] : [{ host: "10.0.0.1", port, weight: 100 }],
            // Something of it that changes by itself, as the uid of its object.
            ...{ desc: `${port}`, labels: { ...labels, ...Object.fromEntries(memberLabels) } },
          }
        : {
            hosts: [...new Set(pairs.map(pairHost))],
            uris: [...new Set(pairs.map(pairUri))],
            ...{ upstream_id: id, labels },
            ...(this.wrong.has(name) ? { plugins: { "limit-count": { count: -1, time_window: 60 } } } : {}),
          };
    const { text, digest } = sealed(content);
    if (this.#known.get(`${resource} ${id}`) === digest) return { type: "same", id, resource };
    const about = { type: "body", id, resource, body: text, digest } as const;
    return pairs === undefined ? { ...about, members } : { ...about, pairs };
  }

  #identityOf(name: string): Identity {
    return this.members.has(name)
      ? { ...identityOf(name), share: "fleet", cluster: "", name: "" }
      : identityOf(name);
  }
}

function identityOf(name: string): Identity {
  return { share: "none", cluster: "east", kind: "pod", namespace: "shop", name, route: "web" };
}
