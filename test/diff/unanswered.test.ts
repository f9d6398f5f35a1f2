import { expect, it } from "vitest";
import { pairsOf } from "../../src/declare/pair.ts";
import { pod, ShardUnderTest } from "./shard-under-test.ts";

const routes = JSON.stringify([{ name: "web", port: 8080, host: "shop.example.com" }]);
const web = pod({ routes });
const wanted = pairsOf(["shop.example.com"], ["/*"]);

const away: readonly (readonly [string, (shard: ShardUnderTest) => unknown])[] = [
  ["went and came back", (shard) => shard.gone(web)],
  ["was taken out and put back", (shard) => shard.pods(pod({ routes: "[]" }))],
];

it.each(away)(
  "a route whose write had no answer is announced anew once its declaration %s: the writer has let go of it",
  (_, go) => {
    const shard = new ShardUnderTest();
    shard.pods(web);
    const [first] = shard.settle();
    shard.write(first!);
    const { id } = first!;
    const { known } = shard.gateway.get(id)!;
    const edited = { ...known, route: { digest: "another" } };
    // Somebody edits it; what is written against that has no answer: what stands is not known.
    const told = shard.send({ type: "known", entries: [edited] });
    expect(told).toMatchObject([{ changes: [{ stand: { type: "live", route: true } }] }]);
    expect(shard.body(id, "route", wanted)?.digest).toBe(known.route!.digest);
    shard.send({ type: "known", entries: [{ ...known, route: { digest: "" } }] });
    go(shard);
    expect(shard.pods(web)).toMatchObject([{ stand: { type: "live", route: true } }]);
    // It was not applied, as a look finds; and then it stands.
    shard.send({ type: "known", entries: [edited] });
    expect(shard.body(id, "route", wanted)?.digest).toBe(known.route!.digest);
  },
);

it.each(away)(
  "a route whose write is answered while its declaration is away needs none once it %s",
  (_, go) => {
    const shard = new ShardUnderTest();
    shard.pods(web);
    const [first] = shard.settle();
    const { id, identity } = first!;
    const upstream = { digest: shard.body(id, "upstream")!.digest };
    shard.send({ type: "known", entries: [{ id, identity, upstream }] });
    const route = { digest: shard.body(id, "route", wanted)!.digest };
    go(shard);
    shard.send({ type: "known", entries: [{ id, identity, upstream, route }] });
    expect(shard.pods(web)).toMatchObject([{ stand: { type: "live", route: false } }]);
  },
);
