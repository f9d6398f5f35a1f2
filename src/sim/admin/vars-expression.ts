/** A route's `vars`: a list of rules, or a logical operator before them. Regular expressions in it are not looked at (recorded). */

const operators = new Set(["==", "~=", ">", "<", ">=", "<=", "~~", "~*", "in", "has", "ipmatch"]);
const logical = new Set(["AND", "OR", "!AND", "!OR"]);
const maxDepth = 32;

/** What is wrong with `vars`, as the Admin API words it. */
export function varsProblem(vars: unknown): string | undefined {
  const problem = expressionProblem(vars, 0);
  return problem && `failed to validate the 'vars' expression: ${problem}`;
}

function expressionProblem(expression: unknown, depth: number): string | undefined {
  if (!Array.isArray(expression) || expression.length === 0) return undefined;
  if (depth > maxDepth) return "too deep";
  const items: readonly unknown[] = expression;
  const [first] = items;
  const rules = typeof first === "string" && logical.has(first) ? items.slice(1) : items;
  for (const rule of rules) {
    if (!Array.isArray(rule)) return "rule should be wrapped inside brackets";
    const problem = ruleProblem(rule, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function ruleProblem(rule: readonly unknown[], depth: number): string | undefined {
  const [first, second, third] = rule;
  if (typeof first === "string" && logical.has(first)) return expressionProblem(rule, depth + 1);
  const operator = second === "!" ? third : second;
  if (typeof operator !== "string" || !operators.has(operator))
    return `invalid operator '${String(operator)}'`;
  return undefined;
}
