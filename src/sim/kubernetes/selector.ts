import type { KubeObject, StringMap } from "./kube-object.ts";

export type ObjectFilter = (object: KubeObject) => boolean;

export const everything: ObjectFilter = () => true;

const labelKey = String.raw`[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?`;
const setBased = new RegExp(`^(${labelKey})\\s+(in|notin)\\s+\\(([^()]*)\\)$`);
const equality = new RegExp(`^(${labelKey})\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)$`);
const existence = new RegExp(`^(!?)\\s*(${labelKey})$`);

/**
 * Parses a label selector: `k=v`, `k==v`, `k!=v`, `k`, `!k`, `k in (a,b)`, `k notin (a,b)`, joined by commas. As in
 * Kubernetes, `!=` and `notin` also match objects without the label.
 *
 * @returns undefined where the text is no selector (an API server answers 400).
 */
export function parseLabelSelector(text: string): ObjectFilter | undefined {
  if (text.trim() === "") return everything;
  const requirements: ((labels: StringMap) => boolean)[] = [];
  for (const part of splitOutsideBrackets(text)) {
    const requirement = parseRequirement(part.trim());
    if (requirement === undefined) return undefined;
    requirements.push(requirement);
  }
  return (object) => {
    const labels = object.metadata.labels ?? {};
    return requirements.every((matches) => matches(labels));
  };
}

function splitOutsideBrackets(text: string): string[] {
  return text.split(/,(?![^(]*\))/);
}

function parseRequirement(text: string): ((labels: StringMap) => boolean) | undefined {
  const set = setBased.exec(text);
  if (set !== null) {
    const [, key = "", operator, list = ""] = set;
    const values = new Set(list.split(",").map((value) => value.trim()));
    return (labels) => {
      const value = valueOf(labels, key);
      return operator === "in"
        ? value !== undefined && values.has(value)
        : value === undefined || !values.has(value);
    };
  }
  const equal = equality.exec(text);
  if (equal !== null) {
    const [, key = "", operator, wanted = ""] = equal;
    return (labels) => (valueOf(labels, key) === wanted) === (operator !== "!=");
  }
  const exists = existence.exec(text);
  if (exists === null) return undefined;
  const [, negation, key = ""] = exists;
  return (labels) => (valueOf(labels, key) === undefined) === (negation === "!");
}

function valueOf(labels: StringMap, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

const selectableFields: Readonly<Record<string, (object: KubeObject) => unknown>> = {
  "metadata.name": (object) => object.metadata.name,
  "metadata.namespace": (object) => object.metadata.namespace,
  "spec.nodeName": (object) => readField(object.spec, "nodeName"),
  "status.phase": (object) => readField(object.status, "phase"),
};

function readField(part: object | undefined, field: string): unknown {
  return part === undefined ? undefined : Reflect.get(part, field);
}

/**
 * Parses a field selector over `metadata.name`, `metadata.namespace`, `spec.nodeName`, `status.phase`.
 *
 * @returns undefined for any other field or form (an API server answers 400).
 */
export function parseFieldSelector(text: string): ObjectFilter | undefined {
  if (text === "") return everything;
  const requirements: ObjectFilter[] = [];
  for (const part of text.split(",")) {
    const match = /^([A-Za-z.]+)(==|=|!=)(.*)$/.exec(part);
    if (match === null) return undefined;
    const [, field = "", operator, wanted = ""] = match;
    const read = Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
    if (read === undefined) return undefined;
    requirements.push((object) => ((read(object) ?? "") === wanted) === (operator !== "!="));
  }
  return (object) => requirements.every((matches) => matches(object));
}
