import { groupTitle } from "../observe/group-title.ts";
import { isProblem, problemAdvice } from "../observe/problem-advice.ts";
import { oldRouteStands } from "../observe/reasons.ts";
import { isMapping } from "./ask-instance.ts";
import type { Explanation } from "./explanation.ts";

/** Declarations that are one route together, in the order of their first. */
export function groups(declarations: readonly Explanation[]): readonly (readonly Explanation[])[] {
  const all = new Map<string, Explanation[]>();
  for (const [index, declaration] of declarations.entries()) {
    const id = printable(declaration["id"]);
    const key = id === "" ? `alone ${index}` : id;
    const members = all.get(key) ?? [];
    members.push(declaration);
    all.set(key, members);
  }
  return [...all.values()];
}

/**
 * What `/explain` says of a route, for people: one sentence, then what stands in APISIX. Of several members the sentence
 * is that of most of them; the others have their own. Ends with a newline.
 */
export function explanationText(members: readonly Explanation[]): string {
  const [usual = [], ...others] = bySentence(members);
  const [first = {}] = usual;
  const isOne = members.length === 1;
  const group = printable(first["group"]);
  const title = isOne || group === "" ? titleOf(first) : group;
  const details = [
    ["for", pairs(first["hosts"], first["uris"])],
    ["stands", pairsOf(first["stands"])],
    givesNodes(first) ? ["nodes", nodesOf(members)] : ["would give", countOf(nodesOf(members))],
    ["group", isOne && group !== title ? group : ""],
    ["id", printable(first["id"])],
    ["last write", lastWrite(first["lastWrite"])],
    ["advice", adviceOn(members)],
    ["members", isOne ? "" : shortened(usual.map((member) => memberName(member, members)))],
  ].filter(([, text]) => text !== "");
  const lines = details.map(([label, text]) => `  ${`${label}:`.padEnd(12)}${text}\n`);
  const deviant = others
    .flat()
    .slice(0, mostShown)
    .map((member) => `  ${memberName(member, members)} is ${sentence(member)}\n`);
  const more = others.flat().length - deviant.length;
  const rest = more > 0 ? [`  and ${more} more\n`] : [];
  return [`${title} is ${sentence(first)}\n`, ...lines, ...deviant, ...rest].join("");
}

/** A route that is not ours: nothing of it is known but what it matches. Ends with a newline. */
export function foreignText(route: Explanation): string {
  return `the foreign route ${printable(route["id"])} stands on ${shortened(items(route["pairs"]).map(printable))}\n`;
}

/** Nothing is known of `target`; `why`: as the instance says; `meant`: an object that there is. Ends with a newline. */
export function unknownText(target: string, why: string | undefined, meant: string | undefined): string {
  if (meant !== undefined) return `nothing is known of the host and uri ${target}; did you mean ${meant}?\n`;
  return `nothing is known of ${target}${why === undefined ? "" : `: ${printable(why)}`}\n`;
}

const kinds: Readonly<Record<string, string>> = {
  ...{ po: "pod", pod: "pod", pods: "pod", svc: "service", service: "service", services: "service" },
};

/** `east-1/shop/web` is a host and a uri, but hosts have dots: the object that may be meant, if there is one. */
export function meantObject(target: string): string | undefined {
  const [cluster = "", ...path] = target.split("/");
  const name = path.at(-1);
  const kind = path.length === 2 ? "pod" : kindIn(target);
  const isMeant =
    kindIn(target) !== path[1] && /^[a-z0-9-]+$/.test(cluster) && path[0] && name && path.length <= 3;
  return isMeant && kind !== undefined ? `${cluster}/${path[0]}/${kind}/${name}` : undefined;
}

/** It cannot but mean an object, though its kind is not written as a target has it: `svc`, `Pod`. */
export const namesKind = (target: string): boolean => kindIn(target) !== undefined;

function kindIn(target: string): string | undefined {
  const [, , kind = "", name] = target.split("/");
  return name === undefined ? undefined : kinds[kind.toLowerCase()];
}

/** Members that say the same stand together, the most first. What is frozen comes last: while others go on, it is a part
 * of the group and not the group.
 */
function bySentence(members: readonly Explanation[]): readonly (readonly Explanation[])[] {
  const all = Map.groupBy(members, sentence);
  const isFrozen = ([member]: readonly Explanation[]): number => Number(member?.["state"] === "Frozen");
  return [...all.values()].toSorted(
    (one, other) => isFrozen(one) - isFrozen(other) || other.length - one.length,
  );
}

function sentence(declaration: Explanation): string {
  const reason = printable(declaration["reason"]);
  return `${printable(declaration["state"])}${reason === "" ? "" : `: ${reason}`}`;
}

function titleOf(declaration: Explanation): string {
  const word = (key: string): string => printable(declaration[key]);
  const [cluster, namespace, kind] = [word("cluster"), word("namespace"), word("kind")];
  return groupTitle({ cluster, namespace, kind, name: word("name"), route: word("route") });
}

function memberName(member: Explanation, members: readonly Explanation[]): string {
  const isOneCluster = members.every(({ cluster }) => cluster === member["cluster"]);
  const name = printable(member["name"]);
  return isOneCluster ? name : `${printable(member["cluster"])}/${name}`;
}

/** Of a Conflict that was never routed nothing is used. */
function givesNodes({ state, reason }: Explanation): boolean {
  return state !== "Conflict" || (typeof reason === "string" && reason.includes(oldRouteStands));
}

/** An instance says how many each member gives, or null where it does not know; another version may list them. */
function nodesOf(members: readonly Explanation[]): string {
  const all = members.map((member) => member["nodes"]);
  const known = all.filter((each) => each !== null);
  if (all.length > 0 && known.length === 0) return "not known";
  if (known.every((each) => typeof each === "number")) {
    const sum = String(known.reduce((total, each) => total + each, 0));
    return known.length === all.length ? sum : `${sum}, and of ${unknownOf(members)} it is not known`;
  }
  if (!all.every(Array.isArray)) return printable(all[0]);
  const nodes = all.flat();
  return nodes.length === 0 ? "none" : shortened(nodes.map(node));
}

/** Clusters of members whose nodes are not known. */
function unknownOf(members: readonly Explanation[]): string {
  const unknown = members.filter(({ nodes }) => nodes === null);
  return shortened([...new Set(unknown.map(({ cluster }) => printable(cluster)))]);
}

function node(value: unknown): string {
  if (typeof value !== "object" || value === null) return printable(value);
  const host = "host" in value ? printable(value.host) : "";
  const port = "port" in value ? printable(value.port) : "";
  return `${host}:${port}`;
}

/** A number alone does not say of what. */
function countOf(nodes: string): string {
  return /^\d+$/.test(nodes) ? `${nodes} ${nodes === "1" ? "node" : "nodes"}` : nodes;
}

/** What somebody should do, of all the members: as the log of the instance says it. */
function adviceOn(members: readonly Explanation[]): string {
  return problemAdvice(new Set(members.map(({ state }) => printable(state)).filter(isProblem)));
}

function pairsOf(shape: unknown): string {
  return isMapping(shape) ? pairs(shape["hosts"], shape["uris"]) : "";
}

function pairs(hosts: unknown, uris: unknown): string {
  const all = items(hosts).flatMap((host) => items(uris).map((uri) => `${printable(host)}${printable(uri)}`));
  return shortened(all);
}

function lastWrite(value: unknown): string {
  if (typeof value !== "object" || value === null) return "";
  const resource = "resource" in value ? printable(value.resource) : "";
  const status = "status" in value ? printable(value.status) : "";
  const at = "at" in value ? printable(value.at) : "";
  return `${resource}, APISIX answered ${status}, at ${at}`;
}

const mostShown = 20;

function shortened(all: readonly string[]): string {
  const more = all.length - mostShown;
  return all.slice(0, mostShown).join(" ") + (more > 0 ? ` and ${more} more` : "");
}

const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What came over the network may act on a terminal. */
function printable(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" ? value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\u{fffd}") : "";
}
