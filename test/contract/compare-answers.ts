/**
 * When two answers have the same shape: the same status and headers, the same keys and types recursively and equal values. The order of
 * keys is free, and so are the values of
 *
 * - times and indexes (`create_time`, `update_time`, `createdIndex`, `modifiedIndex`), and ids that a server made up for a POST;
 * - messages (`error_msg`, `error`), unless the recorded one says something that a client must recognise (`mustSay`).
 */
import { isJsonObject } from "../../src/sim/admin/json-schema.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Difference {
  /** `status`, `headers.server`, `body.list.0.value.id` */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const freeNumbers = new Set(["create_time", "update_time", "createdIndex", "modifiedIndex"]);
const freeTexts = new Set(["error_msg", "error"]);
const comparedHeaders = ["content-type", "x-api-version", "server"];

/** Sentences that the translator relies on (FACTS-APISIX.md). */
const mustSay = [
  "is still using it now",
  "has no healthy etcd endpoint available",
  "failed to fetch upstream info by upstream id",
  "value changed before overwritten",
];

const madeUpId = /\b\d{20}\b/g;

export function compareAnswers(expected: Answer, actual: Answer): readonly Difference[] {
  const differences: Difference[] = [];
  const note = (path: string, one: unknown, other: unknown) =>
    differences.push({ path, expected: one, actual: other });
  if (expected.status !== actual.status) note("status", expected.status, actual.status);
  for (const name of comparedHeaders) {
    if (expected.headers[name] !== actual.headers[name]) {
      note(`headers.${name}`, expected.headers[name], actual.headers[name]);
    }
  }
  compareValues("body", expected.body, actual.body, note);
  return differences;
}

type Note = (path: string, expected: unknown, actual: unknown) => void;

function compareValues(path: string, expected: unknown, actual: unknown, note: Note): void {
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) note(`${path}.length`, expected.length, actual.length);
    for (const [at, item] of expected.slice(0, actual.length).entries()) {
      compareValues(`${path}.${at}`, item, actual[at], note);
    }
  } else if (isJsonObject(expected) && isJsonObject(actual)) {
    compareObjects(path, expected, actual, note);
  } else if (!sameLeaf(expected, actual)) {
    note(path, expected, actual);
  }
}

function compareObjects(
  path: string,
  expected: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  note: Note,
): void {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const [one, other] = [expected[name], actual[name]];
    if (!Object.hasOwn(expected, name) || !Object.hasOwn(actual, name)) note(`${path}.${name}`, one, other);
    else if (freeNumbers.has(name) && typeof one === "number" && typeof other === "number") continue;
    else if (freeTexts.has(name) && sameMessage(one, other)) continue;
    else compareValues(`${path}.${name}`, one, other, note);
  }
}

function sameMessage(expected: unknown, actual: unknown): boolean {
  if (typeof expected !== "string" || typeof actual !== "string" || actual === "") return false;
  return mustSay.every((sentence) => !expected.includes(sentence) || actual.includes(sentence));
}

function sameLeaf(expected: unknown, actual: unknown): boolean {
  if (typeof expected === "string" && typeof actual === "string") {
    return expected.replace(madeUpId, "MADE-UP") === actual.replace(madeUpId, "MADE-UP");
  }
  return expected === actual;
}
