import type { Declaration } from "../declare/declaration.ts";
import { makeProblem } from "../declare/problem.ts";
import type { Problem } from "../declare/problem.ts";
import { isObject } from "../declare/read-value.ts";
import type { ManifestSource } from "./manifest-object.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a manifest says against a declaration that is valid by itself: ports that its Pod or Service does not have. A
 * patch that leaves containers or ports out says nothing.
 */
export function portProblems(source: ManifestSource, declaration: Declaration): readonly Problem[] {
  const spec = isObject(source.value["spec"]) ? source.value["spec"] : {};
  return source.kind === "pod" ? ofPod(spec, declaration) : ofService(spec, declaration);
}

function ofPod(spec: Fields, { name, port }: Declaration): readonly Problem[] {
  if (typeof port === "number" || !Array.isArray(spec["containers"])) return [];
  // Init containers that keep running count, as Kubernetes has it.
  const sidecars = objects(spec["initContainers"]).filter(({ restartPolicy }) => restartPolicy === "Always");
  const containers = [...objects(spec["containers"]), ...sidecars];
  const names = containers.flatMap(({ ports }) => objects(ports).map((each) => each["name"]));
  if (names.includes(port)) return [];
  const known = names.filter((each) => typeof each === "string").join(", ") || "none";
  return [makeProblem(name, "port", port, `no container has a port of that name (there are: ${known})`)];
}

function ofService(spec: Fields, { name, port, via }: Declaration): readonly Problem[] {
  if (spec["type"] === "ExternalName") {
    return [makeProblem(name, "port", port, "the Service's type is ExternalName, which has no endpoints")];
  }
  if (!Array.isArray(spec["ports"])) return [];
  const problems: Problem[] = [];
  const ports = objects(spec["ports"]);
  if (!ports.some((each) => each["name"] === port || each["port"] === port)) {
    const known = ports.map((each) => [each["port"], each["name"]].filter(Boolean).join(" "));
    const reason = `the Service has no such port (there are: ${known.join(", ") || "none"})`;
    problems.push(makeProblem(name, "port", port, reason));
  }
  const type = spec["type"] ?? "ClusterIP";
  if (via === "nodePort" && type !== "NodePort" && type !== "LoadBalancer") {
    problems.push(makeProblem(name, "via", via, `a Service of type ${String(type)} has no node ports`));
  }
  return problems;
}

const objects = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isObject) : []);
