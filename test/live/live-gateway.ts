import { equalIgnoringDefaults } from "../../src/apisix/canonical.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import type { AdminExchange } from "../../src/sim/admin/admin-exchange.ts";
import type { AdminHandler, HandlerRequest } from "../../src/sim/admin/admin-handler.ts";
import type { AdminReply } from "../../src/sim/admin/admin-reply.ts";
import { startAdminServer, type AdminServer } from "../../src/sim/admin/admin-server.ts";
import { isTests, mark, strangersLabel, type Apisix, type Item } from "./apisix.ts";

const mostProblems = 10;
const calm = { etcdUp: true, referenceLag: 0 };

/**
 * An Admin server whose answers come from a real APISIX. What they change is done in the embedded store too, so tests look at what
 * stands as ever; faults strike on the way. What others have in that APISIX the translator sees, the store does not.
 *
 * `close` fails where the APISIX holds anything but what the store does, and takes all of it away.
 */
export async function startLiveGateway(apisix: Apisix): Promise<AdminServer> {
  const live = new LiveGateway(apisix);
  const server = await startAdminServer({ adminKey: apisix.adminKey, relay: live.relay });
  server.admin.onExchange(live.note);
  const close = async (): Promise<void> => {
    try {
      await live.settled();
      await live.compare(server);
    } finally {
      await apisix.deleteAll((_, item) => isTests(item));
      await server.close();
    }
  };
  return { ...server, close, [Symbol.asyncDispose]: close };
}

class LiveGateway {
  readonly #apisix: Apisix;
  /** Strangers' requests, one after the other; they are answered at once, by the embedded store. */
  #strangers: Promise<void> = Promise.resolve();
  readonly #open = new Set<Promise<unknown>>();
  readonly #problems: string[] = [];

  constructor(apisix: Apisix) {
    this.#apisix = apisix;
  }

  readonly relay = (request: HandlerRequest, own: AdminHandler): Promise<() => AdminReply> => {
    const relayed = this.#relay(request, own);
    this.#open.add(relayed);
    const over = (): boolean => this.#open.delete(relayed);
    relayed.then(over, over);
    return relayed;
  };

  readonly note = ({ direct, method, path, body, status }: AdminExchange): void => {
    if (!direct || method === "GET" || status >= 300) return;
    const marked = path.replace(/(\/admin\/\w+\/)(?!t-)/, `$1${mark}`);
    const text = body === undefined ? "" : JSON.stringify(asSent(body as JsonObject));
    this.#strangers = this.#strangers.then(() => this.#asStranger(method, marked, text));
  };

  async settled(): Promise<void> {
    await this.#strangers;
    await Promise.allSettled(this.#open);
  }

  /** @throws Error with each difference between what APISIX holds and what the embedded store does. */
  async compare({ admin }: AdminServer): Promise<void> {
    for (const collection of ["routes", "services", "upstreams"]) {
      const stands = new Map<string, Item>();
      for (const item of await this.#apisix.list(collection)) if (isTests(item)) stands.set(item.id, item);
      for (const { id, value } of admin.store.list(collection)) {
        const found = stands.get(id.startsWith("t-") ? id : mark + id);
        if (found === undefined) this.#problems.push(`${collection}/${id} is not in APISIX`);
        else if (!isAsExpected(value as JsonObject, found.value))
          this.#problems.push(`${collection}/${id} is ${JSON.stringify(found.value)} in APISIX`);
        stands.delete(found?.id ?? "");
      }
      for (const id of stands.keys()) this.#problems.push(`${collection}/${id} is in APISIX`);
    }
    if (this.#problems.length === 0) return;
    const shown = this.#problems.slice(0, mostProblems).join("; ");
    throw new Error(`${this.#problems.length} not as they should be: ${shown}`);
  }

  async #relay(request: HandlerRequest, own: AdminHandler): Promise<() => AdminReply> {
    await this.#strangers;
    const { method, path, body, headers } = request;
    const reply = await this.#apisix.ask(method, path, body, headers["x-api-key"]);
    if (method === "GET" || reply.status >= 300) return () => reply;
    return () => {
      const begun = own.begin(request, calm);
      const followed = "commit" in begun ? begun.commit() : begun;
      if (followed.status !== reply.status)
        this.#problems.push(`${method} ${path}: APISIX ${reply.status}, embedded ${followed.status}`);
      return reply;
    };
  }

  async #asStranger(method: string, path: string, body: string): Promise<void> {
    const [collection = "", id = ""] = path.replace("/apisix/admin/", "").split("/");
    if (method === "DELETE" && !id.includes("?")) return this.#apisix.delete(collection, id);
    const reply = await this.#apisix.ask(method, path, body);
    if (reply.status >= 300)
      this.#problems.push(`a stranger's ${method} ${path} was answered ${reply.status}: ${reply.body}`);
  }
}

/** In APISIX, what strangers make carries the mark or a label, so that it can be told and taken away. */
function asSent(value: JsonObject): JsonObject {
  const { service_id: service, labels } = value;
  return {
    ...value,
    ...(typeof service === "string" ? { service_id: mark + service } : {}),
    labels: { ...(labels as JsonObject | undefined), [strangersLabel]: "true" },
  };
}

function isAsExpected(expected: JsonObject, found: JsonObject): boolean {
  return equalIgnoringDefaults(expected, found) || equalIgnoringDefaults(asSent(expected), found);
}
