/** One thing that was looked at (PRODUCT.md, "`doctor --output json`"). */
export interface Check {
  /** Name of a cluster, URL of an Admin API, or `APISIX`. */
  readonly target: string;
  readonly check: string;
  readonly ok: boolean;
  /** What was found, one clause. */
  readonly detail: string;
  /** What would mend it, or make it better. */
  readonly remedy?: string;
}

/** A check without its target. */
export type Finding = Omit<Check, "target">;

export const fine = (check: string, detail: string, remedy?: string): Finding => ({
  ...{ check, ok: true, detail },
  ...(remedy === undefined ? {} : { remedy }),
});

export const wrong = (check: string, detail: string, remedy: string): Finding => ({
  ...{ check, ok: false, detail, remedy },
});
