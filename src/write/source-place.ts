import type { SourceKind } from "../declare/declaration.ts";

/** Groups of one kind of source in one cluster. */
export interface SourcePlace {
  readonly cluster: string;
  readonly kind: SourceKind;
}

export function placeKey({ cluster, kind }: SourcePlace): string {
  return `${cluster}/${kind}`;
}
