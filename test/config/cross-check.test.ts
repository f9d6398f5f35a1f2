import { describe, expect, it } from "vitest";
import { load, minimal, minimalBut, problemsOf } from "./given.ts";

describe("leader", () => {
  const problems = (leader: string, more = ""): readonly string[] =>
    problemsOf({ yaml: minimalBut(`leader: {${leader}}\n${more}`) });

  it.each([
    ["duration: 10s", "leader.duration: got 10000ms; allowed: more than leader.renewDeadline (10000ms)"],
    ["duration: 15500ms", "leader.duration: got 15500ms; allowed: whole seconds"],
    [
      "retryPeriod: 9s",
      "leader.renewDeadline: got 10000ms; allowed: more than 1.2 times leader.retryPeriod (9000ms)",
    ],
    [
      "retryPeriod: 2501ms",
      "leader.renewDeadline: got 10000ms; allowed: at least gateway.timeout (5000ms) and two times leader.retryPeriod (2501ms) together",
    ],
  ])("{%s} cannot be safe", (leader, problem) => {
    expect(problems(leader)).toEqual([problem]);
  });

  it("is on by default", () => {
    const yaml = minimalBut("leader: {}");
    expect(load({ yaml }).leader.enabled).toBe(true);
    expect(load({ yaml, flags: { "leader.enabled": "false" } }).leader.enabled).toBe(false);
  });

  it("is safe at the edge", () => {
    expect(problems("retryPeriod: 2500ms, duration: 11s")).toEqual([]);
  });

  it("must be told its cluster where the clusters leave it open", () => {
    expect(problems("", "clusters: [{name: a, kubeconfig: /a}, {name: b, kubeconfig: /b}]")).toEqual([
      "leader.cluster: is missing, and it must be said which of the clusters holds the Lease; allowed: the name of one of the clusters, or leader.enabled: false for a single instance",
    ]);
  });

  it("is not judged where it is off, nor for a command that never writes", () => {
    const times = "duration: 1s, renewDeadline: 100s, retryPeriod: 1h";
    expect(problems(`enabled: false, ${times}`)).toEqual([]);
    expect(problemsOf({ yaml: minimalBut(`leader: {${times}}`), leads: false })).toEqual([]);
  });
});

describe("clusterSecrets", () => {
  it("is judged like everything else", () => {
    const given = {
      yaml: minimal,
      flags: { "clusterSecrets.cluster": "away", "clusterSecrets.selector": "a in b" },
    };
    expect(problemsOf(given)).toEqual([
      'clusterSecrets.selector: got "a in b"; allowed: label=value, several joined by commas (given as --clusterSecrets.selector)',
      'clusterSecrets.cluster: got "away"; allowed: the name of one of the clusters',
    ]);
  });
});
