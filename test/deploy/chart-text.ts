/**
 * The chart's templates without a template engine: every branch taken, every list once. Enough to see whether they are YAML,
 * and whether what is fixed in them is what stands in the plain manifests.
 */

/** What the expressions come to that stand in the middle of a line, for a release of the chart's name. */
const values: readonly (readonly [RegExp, string])[] = [
  [/^include "apisix-translator\.(?:name|lease)" \.$/, "apisix-translator"],
  [/^include "apisix-translator\.(?:lease|secrets)-namespace" \.$/, "apisix-translator"],
  [/^include "apisix-translator\.gateway-secret" \.$/, "apisix-translator-gateway"],
  [/^include "apisix-translator\.port" \.$/, "8080"],
  [/^include "apisix-translator\.port" \. \| quote$/, '"8080"'],
  [/^\.Release\.Namespace$/, "apisix-translator"],
];

const action = /\{\{-?\s*(\/\*[\s\S]*?\*\/|[\s\S]*?)\s*-?\}\}/g;

/** @throws Error where the blocks do not fit together. */
export function checkBlocks(template: string): void {
  const open: string[] = [];
  for (const [, text = ""] of template.matchAll(action)) {
    const word = /^[a-z]+/.exec(text)?.[0] ?? "";
    if (["if", "with", "range", "define", "block"].includes(word)) open.push(word);
    else if (word === "else" && !["if", "with", "range"].includes(open.at(-1) ?? ""))
      throw new Error(`else without if: ${text}`);
    else if (word === "end" && text !== "end") throw new Error(`more than an end: ${text}`);
    else if (word === "end" && open.pop() === undefined) throw new Error("end without a beginning");
    const quotes = text.replaceAll(/\\"/g, "").split('"').length - 1;
    if (quotes % 2 !== 0) throw new Error(`quotes do not fit: ${text}`);
  }
  if (open.length > 0) throw new Error(`no end of ${open.join(", ")}`);
  if (template.replaceAll(action, "").includes("{{")) throw new Error("an action that does not end");
}

/** The template's YAML: lines of actions alone are left out, other actions replaced by their value, or by `x`. */
export function plainText(template: string): string {
  return template
    .split("\n")
    .filter((line) => line.trim() === "" || line.replaceAll(action, "").trim() !== "")
    .map((line) =>
      line.replaceAll(action, (_, text: string) => values.find(([known]) => known.test(text))?.[1] ?? "x"),
    )
    .join("\n");
}

/** `.Values.image.tag` → `image.tag`; what stands below `config` is not the chart's to know. */
export function valuesUsed(template: string): string[] {
  return [...template.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, at = ""]) =>
    at.startsWith("config") ? "config" : at,
  );
}
