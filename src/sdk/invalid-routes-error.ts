import type { Problem } from "../declare/problem.ts";

/** Declarations that the translator would refuse. The message names every problem. */
export class InvalidRoutesError extends Error {
  /** Every problem, at least one. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(
      problems
        .map(({ route, message }) => (route === undefined ? message : `${route}: ${message}`))
        .join("\n"),
    );
    this.name = "InvalidRoutesError";
    this.problems = problems;
  }
}
