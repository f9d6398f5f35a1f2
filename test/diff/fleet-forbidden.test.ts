import { expect, it } from "vitest";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const cors = { name: "web", port: 8080, host: "shop.example.com", share: "fleet", plugins: { cors: {} } };
const cluster = (name: string, weight: number) => ({ name, addressFamily: "IPv4", weight }) as const;

it("a fleet group of which policy forbids all that is seen, and that has no nodes besides, loses them as what has no source left", () => {
  const [east, west] = [cluster("east", 100), cluster("west", 100)];
  const pods = { east: pod({ declares: [cors] }), west: pod({ name: "web-1", uid: "2", declares: [cors] }) };
  const open = new ShardUnderTest({ clusters: [east, west], plugins: ["cors"] });
  for (const name of ["east", "west"] as const) open.podsOf(name, pods[name]);
  open.settle("east");
  for (const change of open.settle("west")) open.write(change);
  const closed = open.successor({ clusters: [east, cluster("west", 0)], plugins: [] });
  for (const name of ["east", "west"] as const) closed.podsOf(name, pods[name]);
  closed.settle("east");
  const forbidden = { counts: { Forbidden: 2 }, stand: { type: "absent", grace: false, cause: "forbidden" } };
  expect(closed.settle("west")).toMatchObject([forbidden]);
  const said = [...closed.unsettle("west"), ...closed.answerNeeds()];
  expect(said.at(-1)).toMatchObject({ stand: { type: "frozen", nodes: 0, bare: true, upstream: true } });
  expect(closed.settle("west")).toMatchObject([forbidden]);
});
