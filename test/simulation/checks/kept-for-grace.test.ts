import { expect, it } from "vitest";
import { pod } from "../../../src/sim/kubernetes/pod.ts";
import { idOf } from "../oracle/ownership.ts";
import { SeededRandom } from "../seeded-random.ts";
import { drawSetup, firstConfiguration } from "../setup.ts";
import { SimCluster } from "../sim-cluster.ts";
import { TruthHistory } from "../truth-history.ts";
import { VirtualTime } from "../virtual-time.ts";
import { isKeptForGrace } from "./kept-for-grace.ts";

/** From when on the Pod asks for a host, is invalid, cannot be read, or is gone. */
type Moment = readonly [at: number, says: "asks" | "asks another" | "invalid" | "not JSON" | "gone"];

const [since, overBy] = [100, 250];
const named = { namespace: "shop", name: "web-0", uid: "1" };
const identity = {
  share: "none",
  cluster: "east",
  kind: "pod",
  namespace: "shop",
  name: "web-0",
  route: "web",
} as const;
const id = idOf("sim", identity);
const lost = ["a.example.com /*"];

function annotation(says: Moment[1]): string {
  if (says === "not JSON") return says;
  const port = says === "invalid" ? "8080" : 8080;
  return JSON.stringify([
    { name: "web", port, host: says === "asks another" ? "b.example.com" : "a.example.com" },
  ]);
}

function isKept(moments: readonly Moment[]): boolean {
  const random = new SeededRandom(1);
  const setup = { ...drawSetup(random), clusters: ["east"] };
  const configuration = firstConfiguration(setup);
  const cluster = new SimCluster("east", setup, new VirtualTime(random, false), random);
  let now = 0;
  const history = new TruthHistory(
    "sim",
    () => configuration,
    () => now,
  );
  history.note(cluster);
  for (const [at, says] of moments) {
    now = at;
    if (says === "gone") cluster.store.remove("pods", "shop/web-0");
    else cluster.store.apply("pods", pod({ ...named, routes: annotation(says) }));
    history.note(cluster);
  }
  return isKeptForGrace(history, { id, identity, lost }, { since, overBy });
}

it.each<[string, readonly Moment[], boolean]>([
  [
    "gone within it",
    [
      [1, "asks"],
      [260, "gone"],
    ],
    true,
  ],
  [
    "gone before it",
    [
      [1, "asks"],
      [240, "gone"],
    ],
    false,
  ],
  [
    "taken out of what is declared",
    [
      [1, "asks"],
      [260, "asks another"],
    ],
    false,
  ],
  [
    "asked for since it asked for others",
    [
      [1, "asks another"],
      [200, "asks"],
      [260, "gone"],
    ],
    true,
  ],
  [
    "asked for again since it was gone",
    [
      [1, "asks"],
      [110, "gone"],
      [200, "asks"],
      [260, "gone"],
    ],
    false,
  ],
  [
    "not readable for long",
    [
      [1, "asks another"],
      [90, "not JSON"],
    ],
    true,
  ],
  [
    "not readable, perhaps unheard, since it asked for others",
    [
      [1, "asks another"],
      [200, "not JSON"],
    ],
    false,
  ],
  [
    "invalid, perhaps unheard, since it asked for others",
    [
      [1, "asks another"],
      [200, "invalid"],
    ],
    false,
  ],
  [
    "not readable since it asked for them",
    [
      [1, "asks another"],
      [150, "asks"],
      [200, "not JSON"],
    ],
    true,
  ],
  ["never asked for", [[1, "asks another"]], false],
])("a route keeps its pairs for its grace: %s", (_, moments, is) => {
  expect(isKept(moments)).toBe(is);
});
