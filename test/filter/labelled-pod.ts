import { readFileSync } from "node:fs";

/** JSON that a test may take apart. */
export interface Json {
  [field: string]: unknown;
}

type PodFixture = "base" | "noise" | "flip";

/** A Pod as a real API server sent it, opted in. A fresh copy each time. */
export function labelledPod(fixture: PodFixture = "base"): Json {
  const file = new URL(`../fixtures/kubernetes/pod.${fixture}.json`, import.meta.url);
  const value = JSON.parse(readFileSync(file, "utf8")) as Json;
  const metadata = value["metadata"] as { labels: Json; annotations: Json };
  metadata.labels["apisix-translator.io/enabled"] = "true";
  metadata.annotations["apisix-translator.io/routes"] = '[{"name":"web","port":8080}]';
  return value;
}

/** Sets the value at a path of names and indexes, `undefined` removes it. Changes the object and gives it back. */
export function withValue(object: Json, path: readonly (string | number)[], value: unknown): Json {
  let at: Json = object;
  for (const step of path.slice(0, -1)) at = at[step] as Json;
  const last = String(path.at(-1));
  if (value === undefined) delete at[last];
  else at[last] = value;
  return object;
}
