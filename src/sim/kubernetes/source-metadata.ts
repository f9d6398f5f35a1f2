import type { StringMap } from "./kube-object.ts";

/** What exposes an object: an array of declarations, or the annotation's text as it is. */
export type Routes = string | readonly object[];

export function sourceLabels(routes: Routes | undefined): StringMap {
  return routes === undefined ? {} : { "apisix-translator.io/enabled": "true" };
}

export function sourceAnnotations(routes: Routes | undefined): StringMap {
  if (routes === undefined) return {};
  return { "apisix-translator.io/routes": typeof routes === "string" ? routes : JSON.stringify(routes) };
}
