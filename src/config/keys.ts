import { paths } from "./overrides.ts";
import { schema } from "./schema.ts";

export interface Key {
  /** As `throttle.maxDelay`. */
  readonly path: string;
  /** What is allowed, for people. */
  readonly allowed: string;
}

/** Every key that can be a flag, in the order of the file. */
export function scalarKeys(): readonly Key[] {
  return [...paths(schema)].flatMap(([path, shape]) =>
    shape.kind === "scalar" ? [{ path, allowed: shape.allowed }] : [],
  );
}

/** Whether this key needs no value as a flag: `--leader.enabled`. */
export function isBooleanKey(path: string): boolean {
  const shape = paths(schema).get(path);
  return shape?.kind === "scalar" && shape.isBoolean;
}
