import fc from "fast-check";
import { parseTarget } from "../../../src/observe/target.ts";
import { damaged, someDamage } from "../damage.ts";
import { makeTarget } from "../target.ts";
import type { Verdict } from "../target.ts";

const label = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("east", "shop", "web-1", "a", "x".repeat(63)) },
  { weight: 1, arbitrary: fc.constantFrom("", "-a", "A", "x".repeat(64), "a.b", "é") },
);

const texts = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("a.example.com", "*.example.com/x", "10.0.0.1", "[::1]/a", "Shop./"),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(label, label, fc.constantFrom("pod", "service", "service", "node"), label)
      .map((parts) => parts.join("/")),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("0", "a9", "f").map((digits) => `t-${digits.repeat(40).slice(0, 40)}`),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }).map((text) => text.repeat(500)) },
);

const isLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text);

/** What `explain` is asked. */
export const questions = makeTarget(
  "explain targets",
  9,
  fc.record({ text: texts, damage: someDamage }),
  ({ text, damage }): Verdict => {
    const asked = damaged(Buffer.from(text), damage).toString("utf8");
    const read = parseTarget(asked);
    if (!read.ok)
      return { passed: false, wrong: read.message === "" ? "refused without a reason" : undefined };
    return { passed: true, wrong: wrongWith(asked, read.target) };
  },
);

type Target = Extract<ReturnType<typeof parseTarget>, { ok: true }>["target"];

function wrongWith(asked: string, target: Target): string | undefined {
  if (asked.length > 4350 || /[\s\p{C}]/u.test(asked)) return "a target that cannot be one was accepted";
  switch (target.kind) {
    case "object": {
      const { cluster, namespace, source, name } = target;
      const isSound = isLabel(cluster) && isLabel(namespace) && name.split(".").every(isLabel);
      const isSame = [cluster, namespace, source, name].join("/") === asked;
      return isSound && isSame ? undefined : "an object that cannot be one was accepted";
    }
    case "id":
      return /^t-[0-9a-f]{40}$/.test(target.id) && target.id === asked ? undefined : "no id";
    case "pair": {
      const { host, uri = "" } = target;
      if (!/^(\*\.)?[a-z0-9.:[\]-]{1,253}$/.test(host)) return `the host ${host} was accepted`;
      return (uri === "" || uri.startsWith("/")) && asked.endsWith(uri) ? undefined : "another uri";
    }
  }
}
