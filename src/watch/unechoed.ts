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
  const secret = authorization.slice(authorization.indexOf(" ") + 1);
  const text = Buffer.concat(chunks).subarray(0, mostBytes).toString("latin1");
  const said = secret.length < shortest ? text : text.replaceAll(secret, "[secret]");
  yield Buffer.from(said, "latin1");
}
