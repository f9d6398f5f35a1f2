import type { JsonObject } from "../apisix/types.ts";
import { nodesOf, routeId } from "./gateway-view.ts";
import type { Stage } from "./stage.ts";
import { count, notSeen, pause, until } from "./stage.ts";

const wrong = "192.0.2.1";

/** Somebody edits one of our upstreams in APISIX: one whose Pods are left alone, so that only an audit can mend it. */
export async function humanEdit(stage: Stage, most: number): Promise<void> {
  const { gateway, audit, tell } = stage;
  const id = routeId(stage, "db-1.tokyo.shop.example.com");
  const found = gateway.admin.store.get("upstreams", id)?.value as JsonObject | undefined;
  if (found === undefined) return tell("tokyo's data/db-1 does not stand in APISIX: nobody can edit it");
  const { create_time: _created, update_time: _updated, ...body } = found;
  gateway.admin.handle({
    method: "PUT",
    path: `/apisix/admin/upstreams/${id}`,
    body: JSON.stringify({ ...body, nodes: [{ host: wrong, port: 1, weight: 100 }] }),
  });
  tell(`somebody points the upstream of tokyo's data/db-1 at ${wrong} by hand`);
  await pause(stage, most / 4);
  const drifted = await audit.run();
  if (drifted === undefined)
    return tell(`  the audit could not read APISIX: ${audit.trouble ?? "it was called off"}`);
  const wait = most / 2;
  const isRestored = await until(stage, () => !nodesOf(stage, id).includes(wrong), wait);
  const finds = `the audit finds ${count(drifted, "group")} not as it was left`;
  tell(
    `  ${finds}; ${isRestored ? `${count(nodesOf(stage, id).length, "node")} restored` : `the repair was ${notSeen(wait)}`}`,
  );
}
