import { readFileSync } from "node:fs";

/** From the package that this file is in, as source or as `dist/`. */
export function version(): string {
  for (const up of ["../../package.json", "../../../package.json"]) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), "utf8"));
      if (typeof manifest === "object" && manifest !== null && "version" in manifest)
        return String(manifest.version);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return "unknown";
}
