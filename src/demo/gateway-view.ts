import type { JsonObject } from "../apisix/types.ts";
import type { Stage } from "./stage.ts";

type Gateway = Pick<Stage, "gateway">;

/** Id of the route that answers a host; `""` where none does. */
export function routeId({ gateway }: Gateway, host: string): string {
  const routes = gateway.admin.store.list("routes");
  const route = routes.find(({ value }) =>
    ((value as JsonObject)["hosts"] as string[] | undefined)?.includes(host),
  );
  return String((route?.value as JsonObject | undefined)?.["id"] ?? "");
}

export function stands({ gateway }: Gateway, collection: "routes" | "upstreams", id: string): boolean {
  return gateway.admin.store.get(collection, id) !== undefined;
}

/** Addresses behind a route. */
export function nodesOf({ gateway }: Gateway, id: string): string[] {
  const upstream = gateway.admin.store.get("upstreams", id)?.value as
    | { nodes?: { host: string }[] }
    | undefined;
  return (upstream?.nodes ?? []).map(({ host }) => host);
}
