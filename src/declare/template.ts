import { normalizeHost } from "./host.ts";
import { showValue } from "./problem.ts";

const placeholders = ["route", "namespace", "cluster", "name"] as const;

type Placeholder = (typeof placeholders)[number];

/** A host template (`defaults.host`), read: plain data, so it can go to another thread. */
export interface HostTemplate {
  readonly text: string;
  readonly parts: readonly TemplatePart[];
}

type TemplatePart = string | { readonly placeholder: Placeholder };

/** What a group's identity has; undefined for what it lacks (`fleet`: cluster; Pods under `cluster` or `fleet`: name). */
export interface TemplateIdentity {
  readonly route: string;
  readonly namespace: string;
  readonly cluster: string | undefined;
  readonly name: string | undefined;
}

export type TemplateResult =
  | { readonly ok: true; readonly template: HostTemplate }
  | { readonly ok: false; readonly message: string };

/** `missing` is the placeholder that the identity lacks; undefined where all are there and the host breaks the grammar. */
export type FilledTemplate =
  | { readonly ok: true; readonly host: string }
  | { readonly ok: false; readonly missing: string | undefined; readonly message: string };

/** Reads a template such as `{route}.{namespace}.{cluster}.apps.example.com`; what could never fill to a host is refused. */
export function parseTemplate(text: string): TemplateResult {
  const parts: TemplatePart[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("{", at);
    const literal = text.slice(at, open < 0 ? undefined : open);
    if (literal.includes("}")) return refuse('a "}" has no "{" before it');
    if (literal !== "") parts.push(literal);
    if (open < 0) break;
    const close = text.indexOf("}", open);
    if (close < 0) return refuse('a "{" has no "}" after it');
    const word = text.slice(open + 1, close);
    const placeholder = placeholders.find((known) => known === word);
    if (placeholder === undefined) return refuse(`the placeholder ${showValue(word)} is not known`);
    parts.push({ placeholder });
    at = close + 1;
  }
  // If even the shortest name does not make a host, none does. No hexadecimal letter: `{name}::1` is no address.
  const sample = normalizeHost(fill(parts, () => "x"));
  return sample.ok ? { ok: true, template: { text, parts } } : { ok: false, message: sample.message };
}

/** Fills a template. The result is normalised and held to the grammar of hosts: names may be too long for a label. */
export function fillTemplate(template: HostTemplate, identity: TemplateIdentity): FilledTemplate {
  for (const part of template.parts) {
    if (typeof part === "string" || identity[part.placeholder] !== undefined) continue;
    const missing = part.placeholder;
    const message = `a host is required: the template ${showValue(template.text)} uses {${missing}}, which this group does not have`;
    return { ok: false, missing, message };
  }
  const text = fill(template.parts, (placeholder) => identity[placeholder] ?? "");
  const result = normalizeHost(text);
  if (result.ok) return result;
  const message = `a host is required: the template ${showValue(template.text)} gives one that cannot be used, ${result.message}`;
  return { ok: false, missing: undefined, message };
}

function fill(parts: readonly TemplatePart[], value: (placeholder: Placeholder) => string): string {
  return parts.map((part) => (typeof part === "string" ? part : value(part.placeholder))).join("");
}

function refuse(fault: string): TemplateResult {
  const known = placeholders.map((placeholder) => `{${placeholder}}`).join(" ");
  return { ok: false, message: `${fault}; allowed are ${known}` };
}
