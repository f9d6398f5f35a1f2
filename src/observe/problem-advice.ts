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

export interface ToldProblem {
  readonly state: State;
  readonly reason: string;
}

/** Whether it is no news where the other was told. From whom one differs may change with every Pod that a rollout ends. */
export function isSameProblem(one: ToldProblem, other: ToldProblem): boolean {
  return one.state === other.state && (one.reason === other.reason || one.state === "SpecMismatch");
}

/** Of several, each once. `""`: there is nothing to do. */
export function problemAdvice(states: Iterable<ProblemState>): string {
  const advice = new Set([...states].map((state) => adviceOn[state]));
  return [...advice].filter((each) => each !== "").join("; ");
}
