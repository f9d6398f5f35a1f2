import type { State } from "./state.ts";

/** States in which a declaration is not routed as it says, until somebody does something. */
export type ProblemState = Extract<State, "Conflict" | "Invalid" | "Forbidden" | "Rejected" | "SpecMismatch">;

/** What somebody should do. `SpecMismatch`: nothing, the nodes are used, and a rollout ends it by itself. */
const adviceOn: Readonly<Record<ProblemState, string>> = {
  Conflict: "free the host and uri that are held, or take others",
  Invalid: "correct the declaration",
  Forbidden: "take it out of the declaration, or ask whoever owns policy in the translator's configuration",
  Rejected: "correct what APISIX names",
  SpecMismatch: "",
};

export function isProblem(state: string): state is ProblemState {
  return Object.hasOwn(adviceOn, state);
}

/** Of several, each once. `""`: there is nothing to do. */
export function problemAdvice(states: Iterable<ProblemState>): string {
  const advice = new Set([...states].map((state) => adviceOn[state]));
  return [...advice].filter((each) => each !== "").join("; ");
}
