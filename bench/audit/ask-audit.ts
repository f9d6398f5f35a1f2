import type { Translator } from "../first/translator.ts";

/** Resolves, once everything has been read and compared, to how many groups stood otherwise than believed. */
export async function askAudit({ adminUrl }: Translator): Promise<number> {
  const answer = await fetch(`${adminUrl()}/audit`, { method: "POST", signal: AbortSignal.timeout(120_000) });
  const told = (await answer.json()) as { readonly ok: boolean; readonly drifted: number };
  if (!told.ok) throw new Error(`the audit failed: ${JSON.stringify(told)}`);
  return told.drifted;
}
