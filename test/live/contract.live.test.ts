import { afterAll, expect, it } from "vitest";
import { recordedExchanges, type RecordedExchange } from "../contract/recorded-exchanges.ts";
import { markedNames, renameExchange } from "../contract/rename-exchanges.ts";
import { replayAtOnce, replayInOrder, type ReplayedExchange } from "../contract/replay-exchanges.ts";
import { isTests, mark } from "./apisix.ts";
import { reportText } from "./contract-report.ts";
import { theLiveEnvironment } from "./environment.ts";

const { apisix, viewerKey } = theLiveEnvironment();
/** Milliseconds after which a worker has seen what refers to what: its view is late, and what it allows meanwhile is chance. */
const lateness = 300;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const target = {
  ...{ urls: { admin: apisix.adminUrl }, adminKey: apisix.adminKey, mark },
  ...(viewerKey === undefined ? {} : { viewerKey }),
  elapse: sleep,
  before: ({ request: { method, path } }: RecordedExchange) =>
    method === "DELETE" && !path.includes("/routes/") ? sleep(lateness) : undefined,
};
const replayed: ReplayedExchange[] = [];

const exchanges = (file: string) =>
  recordedExchanges(file).map((exchange) => renameExchange(exchange, markedNames(mark)));

afterAll(() => {
  process.stdout.write(`\n${reportText(replayed)}\n`);
});

it.each(["01-crud", "02-invalid", "03-auth-method-path", "04-list-filter", "07-plugin-config-in-use"])(
  "the contract replay of %s leaves nothing behind",
  async (file) => {
    try {
      const some = await replayInOrder(exchanges(file), target);
      replayed.push(...some);
      expect(some.filter(({ answer }) => answer !== undefined).length).toBeGreaterThan(some.length / 2);
    } finally {
      await apisix.deleteAll((_, item) => isTests(item));
    }
  },
);

it("of PATCHes sent at once to one id, none is answered with anything but 200 and 503", async () => {
  const [setup, ...patches] = exchanges("05-concurrency");
  try {
    replayed.push(...(await replayInOrder(setup === undefined ? [] : [setup], target)));
    const statuses = (await replayAtOnce(patches, target)).map(({ answer }) => answer?.status);
    expect(new Set([200, 503, ...statuses])).toEqual(new Set([200, 503]));
    expect(statuses).toContain(200);
  } finally {
    await apisix.deleteAll((_, item) => isTests(item));
  }
});
