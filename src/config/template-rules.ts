import { parseTemplate } from "../declare/template.ts";
import { checkUri } from "../declare/uri.ts";
import { refused, type Rule } from "./shape.ts";

/** `defaults.host`, under the grammar of the declarations that it fills. */
export const hostTemplate: Rule<string> = {
  allowed: "a host with {route}, {namespace}, {cluster} and {name} in it",
  parse: (value) => (typeof value === "string" && parseTemplate(value).ok ? value : refused),
  reason(value) {
    const result = typeof value === "string" ? parseTemplate(value) : undefined;
    return result?.ok === false ? result.message : undefined;
  },
};

/** `defaults.uri`, under the same grammar as a declaration's `uri`. */
export const uri: Rule<string> = {
  allowed: 'a path such as "/shop", or a prefix such as "/shop/*"',
  parse: (value) => (typeof value === "string" && checkUri(value).ok ? value : refused),
  reason(value) {
    const result = typeof value === "string" ? checkUri(value) : undefined;
    return result?.ok === false ? result.message : undefined;
  },
};
