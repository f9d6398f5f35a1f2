import { askInstance, isMapping, type InstanceAnswer } from "./ask-instance.ts";
import type { Io } from "./command.ts";

/** One declaration as `/explain` tells it; passed on whole, so that a newer instance may say more. */
export type Explanation = Readonly<Record<string, unknown>>;

/** An instance answers at once; what is silent for so long is none. */
const patience = 10_000;

export type Explained =
  | {
      readonly ok: true;
      readonly declarations: readonly Explanation[];
      /** Routes of others that hold the host, or the host and uri, that was asked for. */
      readonly foreign: readonly Explanation[];
      /** Why nothing is known, where the instance can say. */
      readonly unknown?: string;
    }
  | { readonly ok: false; readonly message: string };

/** Asks an instance, and where that one stands by, the leader that it names. No declarations: nothing is known. */
export async function askForExplanation(server: URL, target: string, io: Io): Promise<Explained> {
  const first = await ask(server, target, io);
  if (first.status !== 503) return explained(first, server);
  const leader = leaderIn(first);
  if (leader === undefined) return fault(`${server.origin} does not lead, and knows no leader; try again`);
  const second = await ask(leader, target, io);
  if (second.fault !== undefined)
    return fault(
      `${server.origin} stands by; it says the leader is at ${leader.origin}, which cannot be reached: ${second.fault}; it may have just ended: try again`,
    );
  if (second.status !== 503) return explained(second, leader);
  return fault(`${leader.origin} was named as the leader, and does not lead; try again`);
}

function ask(server: URL, target: string, io: Io): Promise<InstanceAnswer> {
  return askInstance(server, { method: "GET", path: "/explain", query: { target }, patience }, io);
}

function explained({ status, body, fault: why }: InstanceAnswer, server: URL): Explained {
  if (why !== undefined)
    return fault(
      `cannot reach ${server.origin}: ${why}; is an instance running, and is this its observe.listen?`,
    );
  const declarations: unknown = isMapping(body) ? body["declarations"] : undefined;
  if ((status === 200 || status === 404) && Array.isArray(declarations) && declarations.every(isMapping))
    return { ok: true, declarations, foreign: foreignIn(body), ...unknownIn(body) };
  if (status === 404)
    return fault(
      `${server.origin} has no /explain: is this the observe.listen of an instance? Its observe.admin, which other commands ask, is another address`,
    );
  return fault(`${server.origin} answered ${status}, and not as an instance of the translator does`);
}

function foreignIn(body: unknown): readonly Explanation[] {
  const foreign: unknown = isMapping(body) ? body["foreign"] : undefined;
  return Array.isArray(foreign) ? foreign.filter(isMapping) : [];
}

function unknownIn(body: unknown): { readonly unknown?: string } {
  const unknown: unknown = isMapping(body) ? body["unknown"] : undefined;
  return typeof unknown === "string" ? { unknown } : {};
}

function leaderIn({ body }: InstanceAnswer): URL | undefined {
  const leader: unknown = isMapping(body) ? body["leader"] : undefined;
  const text = typeof leader === "string" ? leader : "";
  const url = text === "" ? null : URL.parse(text.includes("://") ? text : `http://${text}`);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" ? url : undefined;
}

const fault = (message: string): Explained => ({ ok: false, message });
