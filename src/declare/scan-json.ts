export type JsonFault = { readonly fault: "nesting" } | { readonly fault: "duplicate"; readonly key: string };

/**
 * Looks for what `JSON.parse` lets pass: nesting deeper than `maxNesting`, and keys that stand twice in one object
 * (the last would win silently). `text` must be JSON that `JSON.parse` accepts. One pass, no recursion, so no input
 * can exhaust the stack.
 */
export function scanJson(text: string, maxNesting: number): JsonFault | undefined {
  // One element for each open bracket: the keys seen, or undefined for an array.
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "{" || character === "[") {
      if (open.length === maxNesting) return { fault: "nesting" };
      keyNext = character === "{";
      open.push(keyNext ? new Set() : undefined);
    } else if (character === "}" || character === "]") {
      open.pop();
    } else if (character === ",") {
      keyNext = open.at(-1) !== undefined;
    } else if (character === '"') {
      const end = stringEnd(text, at);
      const keys = open.at(-1);
      if (keyNext && keys !== undefined) {
        const key = readString(text.slice(at, end + 1));
        if (keys.has(key)) return { fault: "duplicate", key };
        keys.add(key);
      }
      keyNext = false;
      at = end;
    }
  }
  return undefined;
}

/** Index of the quote that closes the string which begins at `start`. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function readString(literal: string): string {
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}
