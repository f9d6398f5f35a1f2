import type { FuzzResult, FuzzTarget } from "./target.ts";
import { annotation } from "./targets/annotation.ts";
import { configuration } from "./targets/configuration.ts";
import { errorTarget } from "./targets/error-bodies.ts";
import { listTarget } from "./targets/gateway-lists.ts";
import { answerTarget } from "./targets/gateway.ts";
import { httpTarget } from "./targets/http.ts";
import { kubernetesTargets } from "./targets/kubernetes.ts";
import { questions } from "./targets/questions.ts";

/** Everything that reads what others have written. */
export const targets: readonly FuzzTarget[] = [
  annotation,
  ...kubernetesTargets,
  errorTarget,
  answerTarget,
  listTarget,
  configuration,
  questions,
  httpTarget(),
];

/** Feeds `inputs` inputs to the targets, each its share; the same seed gives the same inputs. */
export async function fuzz(
  all: readonly FuzzTarget[],
  inputs: number,
  seed: number,
  told: (result: FuzzResult) => void,
): Promise<readonly FuzzResult[]> {
  const shares = all.reduce((sum, { share }) => sum + share, 0);
  const results: FuzzResult[] = [];
  for (const target of all) {
    const result = await target.fuzz(seed, Math.max(1, Math.ceil((inputs * target.share) / shares)));
    results.push(result);
    told(result);
  }
  return results;
}
