/**
 * The embedded Admin API without its sockets: store, handler, faults and journal. `startAdminServer` puts HTTP before it,
 * `memoryAdminTransport` a transport for the simulation.
 *
 * etcd hung, as recorded: a GET, and a PUT or POST that only needs to write, wait until etcd is back and are then carried out, whether or not the
 * client is still there; whatever must read first (a route PUT with `upstream_id`, PATCH, DELETE) is refused after 30 s.
 */
import { systemClock, type Clock, type Random } from "../../runtime.ts";
import { exchangeOf, type AdminExchange } from "./admin-exchange.ts";
import { AdminFaults, type AdminFault, type EtcdState } from "./admin-faults.ts";
import {
  createAdminHandler,
  subjectOf,
  type AdminHandler,
  type HandlerRequest,
  type RequestSubject,
} from "./admin-handler.ts";
import { wrongKey, type AdminKeys } from "./admin-keys.ts";
import { parseAdminPath } from "./admin-path.ts";
import type { AdminReply } from "./admin-reply.ts";
import { AdminStore, type AdminChange } from "./admin-store.ts";
import { RouterCounter } from "./router-counter.ts";
import { cutReply, unspoiled, withWrongType, type SpoiledReply } from "./spoil-reply.ts";

export interface EmbeddedAdminOptions {
  readonly clock?: Clock;
  /** Only faults with a chance or a range ask it. */
  readonly random?: Random;
  readonly adminKey?: string;
  /** A key that may only read. */
  readonly viewerKey?: string;
  /** False: stream mode is off, and stream routes answer 400 to everything. Default true, as recorded. */
  readonly streamRoutes?: boolean;
  /** Milliseconds between a PATCH's read and its write. */
  readonly patchWindow?: number;
  /** Milliseconds after which a read from a hung etcd is given up. */
  readonly etcdTimeout?: number;
  /**
   * Asked in place of the embedded handler, which it is given, for whatever comes through a transport while etcd is up: a way
   * to an APISIX elsewhere. Resolves to the reply, to be applied to the store here in the same step.
   */
  readonly relay?: (request: HandlerRequest, own: AdminHandler) => Promise<() => AdminReply>;
}

/** What reaches the client: an answer, or a connection that was reset before one. */
export type AdminOutcome = SpoiledReply | "reset";

/** A request of somebody who is in the same process. */
export interface DirectRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown;
}

interface Parked {
  readonly retry: () => void;
}

interface InFlight {
  readonly request: HandlerRequest;
  readonly subject: RequestSubject;
  readonly arrivedAt: number;
  readonly faults: readonly AdminFault[];
  readonly done: (outcome: AdminOutcome) => void;
}

export class EmbeddedAdmin {
  readonly store: AdminStore;
  readonly faults: AdminFaults;
  readonly router: RouterCounter;
  readonly keys: AdminKeys;
  readonly #clock: Clock;
  readonly #handler: AdminHandler;
  readonly #relay: EmbeddedAdminOptions["relay"];
  readonly #patchWindow: number;
  readonly #etcdTimeout: number;
  readonly #listeners = new Set<(exchange: AdminExchange) => void>();
  readonly #parked: Parked[] = [];
  #changes: AdminChange[] = [];
  #seq = 0;

  constructor(options: EmbeddedAdminOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#relay = options.relay;
    this.#patchWindow = options.patchWindow ?? 5;
    this.#etcdTimeout = options.etcdTimeout ?? 30_000;
    this.keys = {
      admin: options.adminKey ?? "embedded-admin-key",
      viewer: options.viewerKey ?? "embedded-viewer-key",
    };
    this.store = new AdminStore(this.#clock);
    this.faults = new AdminFaults(options.random ?? Math.random);
    this.router = new RouterCounter(this.#clock);
    const { streamRoutes = true } = options;
    this.#handler = createAdminHandler(this.store, { clock: this.#clock, keys: this.keys, streamRoutes });
    this.store.onChange((change) => {
      this.#changes.push(change);
      this.router.note(change);
    });
    this.faults.onEtcd((state) => this.#etcdChanged(state));
  }

  /** Hears every request when it is applied or refused, reads too. @returns Stops it. */
  onExchange(listener: (exchange: AdminExchange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Answers at once, past all faults, with the admin key unless headers are given: a human's or a stranger's edit. */
  handle(direct: DirectRequest): AdminReply {
    const { body } = direct;
    const request: HandlerRequest = {
      method: direct.method,
      path: direct.path,
      headers: direct.headers ?? { "x-api-key": this.keys.admin },
      body: body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body),
    };
    const subject = this.#subject(request);
    const arrivedAt = this.#clock.now();
    const begun = this.#handler.begin(request, { etcdUp: true, referenceLag: 0 });
    const reply = "commit" in begun ? begun.commit() : begun;
    this.#record(request, subject, arrivedAt, reply, true);
    return reply;
  }

  /**
   * A request from a transport, with all faults that are on. `done` is called once, at once or later; not
   * before etcd is back for a request that waits for it.
   */
  submit(request: HandlerRequest, done: (outcome: AdminOutcome) => void): void {
    const subject = this.#subject(request);
    const faults = this.faults.strike({ method: request.method, ...subject });
    const arrivedAt = this.#clock.now();
    const flight: InFlight = { request, subject, arrivedAt, faults, done };
    this.#later(this.#delay(faults, "before"), () => this.#arrived(flight));
  }

  #subject(request: HandlerRequest): RequestSubject {
    const path = parseAdminPath(request.path);
    return path?.admin === true ? subjectOf(path) : { resource: undefined, id: undefined };
  }

  #arrived(flight: InFlight): void {
    for (const fault of flight.faults) {
      if (fault.kind === "reset" && fault.when === "before") return flight.done("reset");
      if (fault.kind === "reply") return flight.done(unspoiled(fault.reply));
      if (fault.kind === "wrong-key") return flight.done(unspoiled(wrongKey));
    }
    this.#apply(flight);
  }

  #apply(flight: InFlight): void {
    const { etcd } = this.faults;
    if (this.#relay !== undefined && etcd === "up") {
      this.#relay(flight.request, this.#handler).then(
        (apply) => this.#applied(flight, apply()),
        () => flight.done("reset"),
      );
      return;
    }
    const lag = flight.faults.find((fault) => fault.kind === "stale-references")?.lag ?? 0;
    const begun = this.#handler.begin(flight.request, { etcdUp: etcd === "up", referenceLag: lag });
    if ("commit" in begun) {
      this.#later(this.#patchWindow, () => this.#applied(flight, begun.commit()));
    } else if (begun.etcd === true && etcd === "hung") {
      this.#hang(flight, begun);
    } else {
      this.#applied(flight, begun);
    }
  }

  #hang(flight: InFlight, refused: AdminReply): void {
    const { method } = flight.request;
    const readsFirst = refused.status !== 503 || method === "PATCH" || method === "DELETE";
    if (readsFirst) this.#later(this.#etcdTimeout, () => this.#applied(flight, refused));
    else this.#parked.push({ retry: () => this.#apply(flight) });
  }

  #etcdChanged(state: EtcdState): void {
    if (state === "hung") return;
    for (const { retry } of this.#parked.splice(0)) retry();
  }

  #applied(flight: InFlight, reply: AdminReply): void {
    this.#record(flight.request, flight.subject, flight.arrivedAt, reply, false);
    this.#later(this.#delay(flight.faults, "after"), () => flight.done(spoiled(reply, flight.faults)));
  }

  #record(
    request: HandlerRequest,
    subject: RequestSubject,
    arrivedAt: number,
    reply: AdminReply,
    direct: boolean,
  ): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#seq += 1;
    if (this.#listeners.size === 0) return;
    const at = this.#clock.now();
    const outcome = { seq: this.#seq, arrivedAt, at, status: reply.status, changes, direct };
    const exchange = exchangeOf(request, subject, outcome);
    for (const listener of this.#listeners) listener(exchange);
  }

  #delay(faults: readonly AdminFault[], when: "before" | "after"): number {
    let ms = 0;
    for (const fault of faults)
      if (fault.kind === "delay" && fault.when === when) ms = Math.max(ms, this.faults.draw(fault.ms));
    return ms;
  }

  #later(ms: number, run: () => void): void {
    if (ms <= 0) run();
    else this.#clock.after(ms, run);
  }
}

function spoiled(reply: AdminReply, faults: readonly AdminFault[]): AdminOutcome {
  let spoiledReply = reply;
  for (const fault of faults) {
    if (fault.kind === "reset") return "reset";
    if (fault.kind === "wrong-types") spoiledReply = withWrongType(spoiledReply, fault.what);
  }
  const cut = faults.find((fault) => fault.kind === "body");
  return cut === undefined ? unspoiled(spoiledReply) : cutReply(spoiledReply, cut.keep, cut.ending);
}
