import { stat } from "node:fs/promises";

/** The mark of what is there and is no regular file: a pipe gives its content once, so it must not be read again. */
export const notRegular = "not regular";

/**
 * Changes whenever the file at the path is replaced or written to. Looks under the path, every time anew: a mounted
 * Secret changes by a symbolic link above it, which a watch on the file itself does not see.
 */
export async function fileMark(path: string): Promise<string> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return found.isDirectory() ? "directory" : notRegular;
    return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : "unknown fault";
  }
}
