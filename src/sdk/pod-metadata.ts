import { enabledLabel, routesAnnotation } from "../declare/names.ts";
import { makeProblem } from "../declare/problem.ts";
import type { Problem } from "../declare/problem.ts";
import { isObject } from "../declare/read-value.ts";
import { InvalidRoutesError } from "./invalid-routes-error.ts";
import type { RouteInput } from "./route-input.ts";
import { routesText } from "./routes-text.ts";

/** What is read and extended of an object's metadata; anything else in it is passed through. */
export interface Metadata {
  readonly labels?: Readonly<Record<string, string>> | null | undefined;
  readonly annotations?: Readonly<Record<string, string>> | null | undefined;
}

export interface LabelsAndAnnotations {
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/**
 * Metadata of a Pod (or Pod template) that declares exactly these routes: a copy of `metadata` with the label that
 * opts in and the routes annotation, both replaced where they stand already. `[]` declares nothing, on purpose. What
 * is given is not changed.
 *
 * @throws InvalidRoutesError with every problem, as the translator would report them for a Pod
 */
export function podMetadata<const Given extends Metadata = Metadata>(
  declarations: RouteInput | readonly RouteInput[],
  metadata?: Given,
): Omit<Given, keyof LabelsAndAnnotations> & LabelsAndAnnotations {
  const given: Partial<Given> = metadata ?? {};
  const problems: Problem[] = [];
  const labels = mapOf(given.labels, "metadata.labels", problems);
  const annotations = mapOf(given.annotations, "metadata.annotations", problems);
  if (problems.length > 0) throw new InvalidRoutesError(problems);
  const routes = routesText(declarations, "pod", "one line");
  return {
    ...(given as Given),
    labels: { ...labels, [enabledLabel]: "true" },
    annotations: { ...annotations, [routesAnnotation]: routes },
  };
}

function mapOf(value: unknown, field: string, problems: Problem[]): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (isObject(value)) return value as Record<string, string>;
  problems.push(makeProblem(undefined, field, value, "allowed is an object of texts"));
  return {};
}
