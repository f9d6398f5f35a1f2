import { describe, expect, it } from "vitest";
import { AdminClient } from "../../src/apisix/admin-client.ts";
import { sealed } from "../../src/apisix/canonical.ts";
import { readList, type ListItem } from "../../src/apisix/read-list.ts";
import type { Collection } from "../../src/apisix/resource-path.ts";
import { shadowTransport, type ShadowWrite } from "../../src/apisix/shadow-transport.ts";
import type { AdminTransport } from "../../src/apisix/transport.ts";
import type { JsonObject } from "../../src/apisix/types.ts";
import { systemClock } from "../../src/runtime.ts";
import { AdminJournal } from "../../src/sim/admin/admin-exchange.ts";
import { EmbeddedAdmin } from "../../src/sim/admin/embedded-admin.ts";
import { memoryAdminTransport } from "../../src/sim/admin/memory-transport.ts";

const idOf = (digit: number): string => `t-${String(digit).padStart(40, "0")}`;
const body = (port: number): JsonObject => ({
  nodes: [{ host: "10.0.0.1", port, weight: 1 }],
  type: "roundrobin",
});
const text = (port: number): string => sealed(body(port)).text;

function shadowed() {
  const admin = new EmbeddedAdmin({ clock: systemClock, random: () => 0 });
  const journal = new AdminJournal(1000);
  const wrote: ShadowWrite[] = [];
  const real = memoryAdminTransport(admin, { clock: systemClock, random: () => 0, pieceBytes: 40 });
  admin.onExchange(journal.add);
  const transport = shadowTransport(real, {
    maxListBytes: 1 << 20,
    wrote: (write) => void wrote.push(write),
  });
  const client = new AdminClient({ transport, timeout: 60_000 });
  /** What really happens, by whoever leads. */
  const really = (method: "PUT" | "DELETE", id: string, given?: string): void => {
    const answered = admin.handle({
      ...{ method, path: `/apisix/admin/upstreams/${id}` },
      ...(given === undefined ? {} : { body: JSON.parse(given) as object }),
    });
    expect(answered.status).toBeLessThan(300);
  };
  const list = async (collection: Collection = "upstreams", over: AdminTransport = transport) => {
    const items: ListItem[] = [];
    const limits = { timeout: 60_000, maxListBytes: 1 << 20, clock: systemClock };
    await readList({ transport: over, ...limits }, collection, (item) => void items.push(item));
    return items;
  };
  /** The ports of the upstreams in the list, by the last digit of the id. */
  const ports = async (): Promise<Record<string, number>> => {
    const items = await list();
    const portOf = ({ value }: ListItem): number => (value["nodes"] as { port: number }[])[0]!.port;
    return Object.fromEntries(items.map((item) => [item.id.slice(-1), portOf(item)]));
  };
  return { admin, journal, wrote, client, really, list, ports };
}

describe("shadowTransport", () => {
  it("has no body checked: whoever may only read may not ask for it", async () => {
    const { client, journal, wrote } = shadowed();
    expect(await client.check("upstream", text(1))).toEqual({ type: "unable" });
    expect([journal.exchanges, wrote]).toEqual([[], []]);
  });

  it("sends no write, tells of each, and answers as APISIX does", async () => {
    const { client, journal, wrote, really } = shadowed();
    really("PUT", idOf(2), text(2));
    expect(await client.put("upstream", idOf(1), text(1))).toEqual({ type: "done", status: 200 });
    expect(await client.put("route", idOf(1), '{"uri":"/"}')).toEqual({ type: "done", status: 200 });
    expect(await client.remove("upstream", idOf(2))).toEqual({ type: "done", status: 200 });
    expect(journal.writes.filter(({ direct }) => !direct)).toEqual([]);
    expect(wrote).toMatchObject([
      { method: "PUT", resource: "upstream", id: idOf(1), body: body(1) },
      { method: "PUT", resource: "route", id: idOf(1) },
      { method: "DELETE", resource: "upstream", id: idOf(2), body: undefined },
    ]);
  });

  it("shows what it was given: object by object, and in lists", async () => {
    const { client, really, ports, list } = shadowed();
    for (const digit of [1, 2, 3]) really("PUT", idOf(digit), text(digit));
    await client.put("upstream", idOf(2), text(22));
    await client.remove("upstream", idOf(3));
    await client.put("upstream", idOf(4), text(4));
    for (let times = 0; times < 3; times++) expect(await ports()).toEqual({ 1: 1, 2: 22, 4: 4 });
    expect(await client.read("upstream", idOf(4))).toMatchObject({ type: "found", object: body(4) });
    expect(await client.read("upstream", idOf(3))).toEqual({ type: "absent" });
    expect(await client.read("upstream", idOf(1))).toMatchObject({ type: "found", object: body(1) });
    expect(await list("routes")).toEqual([]);
  });

  it("shows what really stands once that has changed, gone or come since", async () => {
    const { client, really, ports } = shadowed();
    for (const digit of [1, 2, 3]) really("PUT", idOf(digit), text(digit));
    for (const digit of [1, 2, 4]) await client.put("upstream", idOf(digit), text(digit + 100));
    await client.remove("upstream", idOf(3));
    expect(await ports()).toEqual({ 1: 101, 2: 102, 4: 104 });
    really("PUT", idOf(1), text(7));
    really("DELETE", idOf(2));
    really("PUT", idOf(3), text(7));
    really("PUT", idOf(4), text(7));
    expect(await ports()).toEqual({ 1: 7, 3: 7, 4: 7 });
    expect(await client.read("upstream", idOf(2))).toEqual({ type: "absent" });
  });

  it("lets go of what has become real: whoever leads wrote the same", async () => {
    const { client, really, ports } = shadowed();
    for (const digit of [1, 2]) really("PUT", idOf(digit), text(digit));
    await client.put("upstream", idOf(1), text(101));
    await client.remove("upstream", idOf(2));
    really("PUT", idOf(1), text(101));
    really("DELETE", idOf(2));
    expect(await ports()).toEqual({ 1: 101 });
    really("PUT", idOf(1), text(1));
    really("PUT", idOf(2), text(2));
    expect(await ports()).toEqual({ 1: 1, 2: 2 });
  });

  it("does not guess where the real object of a first write stands that came during a list", async () => {
    const { client, really, list, ports, admin } = shadowed();
    for (let digit = 1; digit < 9; digit++) really("PUT", idOf(digit), text(digit));
    await client.put("upstream", idOf(1), text(101));
    let exchanges = 0;
    admin.onExchange(() => exchanges++);
    const listing = list();
    while (exchanges === 0) await new Promise((resolve) => setImmediate(resolve));
    for (let digit = 1; digit < 9; digit++) await client.put("upstream", idOf(digit), text(digit + 200));
    expect(await listing).toHaveLength(admin.store.size("upstreams"));
    expect(await ports()).toEqual(
      Object.fromEntries(Array.from({ length: 8 }, (_, index) => [index + 1, index + 201])),
    );
  });

  it("passes on that a list is not one", async () => {
    const { client, list, really, admin } = shadowed();
    really("PUT", idOf(1), text(1));
    await client.put("upstream", idOf(1), text(2));
    const cut = admin.faults.add({ fault: { kind: "body", keep: 0.5, ending: "end" } });
    await expect(list()).rejects.toMatchObject({ code: "ADMIN_PROTOCOL" });
    cut();
    const refuse = admin.faults.add({ fault: { kind: "wrong-key" } });
    await expect(list()).rejects.toMatchObject({ code: "ADMIN_STATUS", status: 401 });
    refuse();
    admin.faults.add({ fault: { kind: "body", keep: 0.5, ending: "reset" } });
    await expect(list()).rejects.toMatchObject({ code: "ADMIN_CONNECTION" });
  });
});
