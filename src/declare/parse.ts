import type { Declaration, Share, SourceKind } from "./declaration.ts";
import type { Problem } from "./problem.ts";

export type Entry =
  | { readonly ok: true; readonly declaration: Declaration }
  | {
      readonly ok: false;
      readonly index: number;
      readonly name: string | undefined;
      readonly share: Share | undefined | "unreadable";
      readonly problems: readonly Problem[];
    };

export type Annotation =
  | { readonly readable: true; readonly entries: readonly Entry[] }
  | { readonly readable: false; readonly problem: Problem };

export type Validation =
  | { readonly ok: true; readonly routes: readonly Declaration[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function parseRoutes(_text: string, _kind: SourceKind): Annotation {
  return { readable: true, entries: [] };
}

export function validateRoutes(_value: unknown, _kind?: SourceKind): Validation {
  return { ok: true, routes: [] };
}
