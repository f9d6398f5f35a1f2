/**
 * `apisix-translator/sdk`: builds and validates what a workload says, exactly as the translator will read it. It
 * knows neither Kubernetes nor APISIX and uses nothing that a browser lacks. The entry of the package: the one place
 * where names are passed on.
 */
export { podMetadata } from "./pod-metadata.ts";
export { validateRoutes } from "../declare/parse.ts";
export type { LabelsAndAnnotations, Metadata } from "./pod-metadata.ts";
export type { InvalidRoutesError } from "./invalid-routes-error.ts";
export type { RouteInput } from "./route-input.ts";
export type { Validation } from "../declare/parse.ts";
export type { Problem } from "../declare/problem.ts";
export type { Declaration, SourceKind } from "../declare/declaration.ts";
