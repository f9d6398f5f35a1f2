import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/apisix/types.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";
import type { BodyRow } from "./bodies-table.ts";
import { bodyRows } from "./bodies-table.ts";
import { gatewaySource } from "./gateway-source.ts";
import { Pipeline } from "./pipeline.ts";

const cluster = "east";
const namespace = "shop";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Keys sorted at every depth, no whitespace. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(",")}}`;
}

/** Both bodies by PRODUCT.md, "What stands in APISIX"; written without a look at how the translator builds them. */
function expected(row: BodyRow, uids: { pod: string; cluster: string }): { route: object; upstream: object } {
  const share = row.share ?? "none";
  const name = share === "none" ? row.pod : "";
  const { instance } = gatewaySource();
  const id = `t-${sha256(JSON.stringify([instance, share, cluster, "pod", namespace, name, row.pod])).slice(0, 40)}`;
  const title = [cluster, namespace, ...(name === "" ? [] : [name]), row.pod].join("/");
  const labels = {
    "managed-by": "apisix-translator",
    "translator/instance": instance,
    "translator/cluster": cluster,
    "translator/kind": "pod",
    "translator/namespace": namespace,
    ...(name === "" ? {} : { "translator/name": name }),
    "translator/route": row.pod,
    "translator/share": share,
  };
  const owner = share === "none" ? {} : { metadata: { cluster, name: row.pod } };
  const route = {
    ...{ hosts: [`${row.pod}.example.com`], uris: ["/*"], priority: 0, ...row.route },
    ...{ name: title, desc: title, upstream_id: id, labels },
  };
  const upstream = {
    ...{ scheme: "http", retries: 1, type: "roundrobin", pass_host: "pass" },
    nodes: [{ host: "10.0.0.1", port: 8080, weight: 100, ...owner }],
    ...row.upstream,
    ...{ name: title, desc: title },
    labels: {
      ...labels,
      ...(share === "none" ? { "translator/uid": uids.pod } : {}),
      "translator/member.east": uids.cluster,
      "translator/select": row.select ?? "8080,endpoint,ready",
    },
  };
  return { route: stored(id, route), upstream: stored(id, upstream) };
}

/** As APISIX shows it: with its id and its digest, which is the hash of the body before that label was added. */
function stored(id: string, body: { readonly labels: object }): object {
  const digest = sha256(canonical(body)).slice(0, 32);
  return { id, ...body, labels: { ...body.labels, "translator/digest": digest } };
}

function withoutTimes(object: JsonObject): JsonObject {
  const { create_time: _, update_time: __, ...rest } = object;
  return rest;
}

it("every field that applies to Pods ends in APISIX as PRODUCT.md says: complete bodies", async () => {
  const pipeline = await Pipeline.start([cluster], {
    settings: { policy: { plugins: ["cors"] } },
    before: (starting) => {
      for (const { pod: name, entry, options } of bodyRows) {
        const host = "hosts" in entry ? {} : { host: `${name}.example.com` };
        const routes = [{ name, port: 8080, ...host, ...entry }];
        starting.store(cluster).create("pods", pod({ namespace, name, ip: "10.0.0.1", ...options, routes }));
      }
    },
  });
  await pipeline.reconciled();
  const bodies = (collection: string): Map<unknown, object> =>
    new Map(
      pipeline.gateway.admin.store
        .list(collection)
        .map(({ value }) => [
          (value["labels"] as JsonObject)["translator/route"],
          withoutTimes(value as JsonObject),
        ]),
    );
  const [routes, upstreams] = [bodies("routes"), bodies("upstreams")];
  const { uid } = pipeline.store(cluster);
  for (const row of bodyRows) {
    const found = pipeline.store(cluster).get("pods", `${namespace}/${row.pod}`);
    const bodiesOfRow = { route: routes.get(row.pod), upstream: upstreams.get(row.pod) };
    expect(bodiesOfRow, row.pod).toEqual(expected(row, { pod: found?.metadata.uid ?? "", cluster: uid }));
  }
  expect(pipeline.tally(0)).toEqual({ "PUT routes": bodyRows.length, "PUT upstreams": bodyRows.length });
});

it("host and uri come from the templates, nodes from the configured family; what a group lacks is Invalid", async () => {
  const pipeline = await Pipeline.start(["four", "six", "dual"], {
    settings: {
      defaults: { host: "{route}-{name}.{namespace}.{cluster}.example.com", uri: "/api/*" },
      clusters: { six: { addressFamily: "IPv6" }, dual: { addressFamily: "dual" } },
    },
    before: ({ fleet }) => {
      for (const { store } of fleet.clusters) {
        const ip = ["10.0.0.1", "fd00::1"];
        store.create("pods", pod({ namespace, name: "p", ip, routes: [{ name: "web", port: 80 }] }));
        store.create("pods", pod({ namespace, name: "q", owner: "q", routes: [{ name: "web", port: 80 }] }));
      }
    },
  });
  await pipeline.reconciled();
  expect(pipeline.pairs()).toEqual([
    "web-p.shop.dual.example.com /api/*",
    "web-p.shop.four.example.com /api/*",
    "web-p.shop.six.example.com /api/*",
  ]);
  expect(pipeline.nodesOf("web-p.shop.four.example.com")).toEqual(["10.0.0.1:80"]);
  expect(pipeline.nodesOf("web-p.shop.six.example.com")).toEqual(["[fd00::1]:80"]);
  expect(pipeline.nodesOf("web-p.shop.dual.example.com")).toEqual(["10.0.0.1:80", "[fd00::1]:80"]);
  const [explained] = await pipeline.explain("four/shop/pod/q");
  expect(explained?.state).toBe("Invalid");
  expect(explained?.reason).toContain("host");
});
