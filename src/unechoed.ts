/** Of an error's body more is never read. */
const mostBytes = 64 * 1024;

/** Shorter texts are in every body by chance. */
const shortest = 4;

/**
 * The body of an error answer, at most 64 KiB of it, without the credential that came with the request: a server, or
 * something before it, may repeat it, and errors are told.
 */
export async function* unechoed(
  body: AsyncIterable<Uint8Array>,
  authorization: string,
): AsyncGenerator<Uint8Array, void, void> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= mostBytes) break;
  }
  const text = Buffer.concat(chunks).subarray(0, mostBytes).toString("latin1");
  yield Buffer.from(unecho(text, authorization), "latin1");
}

/** A text that may have been cut (then it ends with `…`) without that credential, nor the beginning of it where the cut is. */
export function unecho(text: string, authorization: string): string {
  const secret = authorization.slice(authorization.indexOf(" ") + 1);
  if (secret.length < shortest) return text;
  const said = text.replaceAll(secret, "[secret]");
  if (!said.endsWith("…")) return said;
  for (let length = Math.min(secret.length, said.length) - 1; length >= shortest; length--)
    if (said.endsWith(`${secret.slice(0, length)}…`)) return `${said.slice(0, -length - 1)}[secret]…`;
  return said;
}
