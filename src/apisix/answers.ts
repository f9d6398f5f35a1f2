import type { AdminClient } from "./admin-client.ts";

/** Of the form of ours, for the client asks for no other; nothing stands under it. */
const probedId = `t-${"0".repeat(40)}`;

/** Whether the Admin API answers about its objects, which it cannot while etcd is away. */
export async function answers(client: Pick<AdminClient, "read">): Promise<boolean> {
  return (await client.read("upstream", probedId)).type !== "retry";
}
