import { expect, it } from "vitest";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const routes = JSON.stringify([{ name: "web", port: 8080, host: "shop.example.com" }]);
const web = pod({ routes });

const away: readonly (readonly [string, (shard: ShardUnderTest) => unknown])[] = [
  ["is gone", (shard) => shard.gone(web)],
  ["is paused", (shard) => shard.pods({ ...web, paused: true })],
  ["is invalid", (shard) => shard.pods(pod({ routes: routes.replace("host", "hots") }))],
];

it.each(away)(
  "A7 a route that somebody edits while its declaration %s is restored when the same is declared again",
  (_, go) => {
    const shard = new ShardUnderTest();
    shard.pods(web);
    const [first] = shard.settle();
    shard.write(first!);
    go(shard);
    const { known } = shard.gateway.get(first!.id)!;
    const edited = { ...known, route: { digest: "another" } };
    shard.gateway.set(first!.id, { ...shard.gateway.get(first!.id), known: edited });
    shard.send({ type: "known", entries: [edited] });
    shard.answerNeeds();
    expect(shard.pods(web)).toMatchObject([{ stand: { type: "live", route: true } }]);
  },
);
