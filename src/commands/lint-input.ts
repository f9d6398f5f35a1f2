import { fileFault } from "../config/file.ts";
import type { ReadFile } from "../config/file.ts";

/** All of standard input as text. @throws Error why it cannot be read, or is no text */
export type ReadStandardInput = () => Promise<string>;

/** The text of one FILE, or why there is none, in words that need the file's name before them. */
export type Input =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** As for files: what is larger is no manifest that a person wrote. */
const mostBytes = 8 * 2 ** 20;

export const readStandardInput: ReadStandardInput = async () => {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of process.stdin as AsyncIterable<Uint8Array>) {
    total += piece.length;
    if (total > mostBytes) throw new RangeError(`it is over ${mostBytes / 2 ** 20} MiB`);
    pieces.push(piece);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
};

/** Reads FILE, or standard input for `-`. */
export async function readInput(
  file: string,
  readFile: ReadFile,
  readStandard: ReadStandardInput,
): Promise<Input> {
  try {
    return { ok: true, text: file === "-" ? await readStandard() : readFile(file) };
  } catch (error) {
    return { ok: false, reason: fileFault(error) };
  }
}
