import { TranslatorError } from "../errors.ts";
import type { KindHealth } from "./events.ts";
import type { KindRow } from "./kinds.ts";
import type { KnownKeys } from "./known-keys.ts";
import { Reflector, type ReflectorEvent, type ReflectorOptions } from "./reflector.ts";

export interface KindWatchOptions extends Omit<ReflectorOptions, "row"> {
  /** What is listed and watched, each by itself; at least one. */
  readonly parts: readonly KindRow[];
  /** Of the kind as a whole. */
  readonly keys: KnownKeys;
}

/**
 * One kind in one cluster: a reflector for each namespace, or one for all, behind one health. It is synced when all parts
 * are; a part that is degraded degrades the kind, for what it would show belongs to the same whole.
 */
export class KindWatch {
  readonly #say: (event: ReflectorEvent) => void;
  readonly #parts: readonly { readonly row: KindRow; readonly reflector: Reflector }[];
  #isDegraded = false;

  constructor({ parts, keys, say, ...options }: KindWatchOptions) {
    this.#say = say;
    this.#parts = parts.map((row) => ({
      row,
      reflector: new Reflector({
        ...options,
        ...{ row, keys: keys.within(row.namespace), say: (event) => this.#hear(row, event) },
        log: row.namespace === undefined ? options.log : options.log.child({ namespace: row.namespace }),
      }),
    }));
  }

  start(): void {
    for (const { reflector } of this.#parts) reflector.start();
  }

  stop(): void {
    for (const { reflector } of this.#parts) reflector.stop();
  }

  /** The transport sends another way from now on. */
  renew(): void {
    for (const { reflector } of this.#parts) reflector.renew();
  }

  /** What is not degraded: whoever takes over must see it too. */
  seen(): KindRow[] {
    return this.#parts
      .filter(({ reflector }) => reflector.health().state !== "degraded")
      .map(({ row }) => row);
  }

  health(): KindHealth {
    const healths = this.#parts.map(({ row, reflector }) => ({ row, health: reflector.health() }));
    const objects = healths.reduce((sum, { health }) => sum + health.objects, 0);
    const since = (of: KindHealth["state"]): number =>
      Math.max(...healths.flatMap(({ health }) => (health.state === of ? [health.since] : [])));
    for (const { row, health } of healths) {
      if (health.state !== "degraded") continue;
      return { ...health, objects, reason: inNamespace(row, health.reason) };
    }
    const isListing = healths.some(({ health }) => health.state === "listing");
    const state = isListing ? "listing" : "synced";
    return { state, since: since(state), objects };
  }

  #hear(row: KindRow, event: ReflectorEvent): void {
    if (event.type === "synced") {
      if (!this.#parts.every(({ reflector }) => reflector.health().state === "synced")) return;
      this.#isDegraded = false;
    } else if (event.type === "degraded") {
      if (this.#isDegraded) return;
      this.#isDegraded = true;
      return this.#say({ ...event, error: told(row, event.error) });
    }
    this.#say(event);
  }
}

const inNamespace = ({ namespace }: KindRow, text: string): string =>
  namespace === undefined ? text : `namespace ${namespace}: ${text}`;

function told(row: KindRow, error: TranslatorError): TranslatorError {
  if (row.namespace === undefined) return error;
  const { status } = error;
  return new TranslatorError(error.code, inNamespace(row, error.message), {
    cause: error,
    ...(status === undefined ? {} : { status }),
  });
}
