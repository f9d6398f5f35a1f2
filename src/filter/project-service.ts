import type { ServicePort, ServiceProjection } from "../store/projection.ts";
import { isOptedIn, projected, sourceFields, type Projected } from "./project-source.ts";
import { fieldsOf, listOf, neededPort, numberOf, textOf, type Fields } from "./read-fields.ts";

/** The consumed values of a Service; `consumedServiceFields` lists where they stand. */
export function projectService(value: unknown): Projected<ServiceProjection> {
  return projected(value, (service, metadata) => ({
    enabled: isOptedIn(metadata),
    projection: project(fieldsOf(service["spec"], "spec"), metadata),
  }));
}

function project(spec: Fields, metadata: Fields): ServiceProjection {
  return {
    kind: "service",
    ...sourceFields(metadata),
    external: textOf(spec["type"], "spec.type") === "ExternalName",
    local: textOf(spec["externalTrafficPolicy"], "spec.externalTrafficPolicy") === "Local",
    ports: tcpPorts(spec),
  };
}

/** An upstream of any scheme is reached over TCP: a UDP port may have the same number. */
function tcpPorts(spec: Fields): ServicePort[] {
  const ports: ServicePort[] = [];
  for (const entry of listOf(spec["ports"], "spec.ports")) {
    const port = fieldsOf(entry, "spec.ports[]");
    const protocol = textOf(port["protocol"], "spec.ports[].protocol") ?? "TCP";
    if (protocol !== "TCP") continue;
    ports.push({
      name: textOf(port["name"], "spec.ports[].name") ?? "",
      port: neededPort(port["port"], "spec.ports[].port"),
      nodePort: nodePortOf(port["nodePort"]),
    });
  }
  return ports.sort((a, b) => a.port - b.port || (a.name < b.name ? -1 : 1));
}

/** 0, absent and null all mean none. */
function nodePortOf(value: unknown): number {
  const path = "spec.ports[].nodePort";
  return (numberOf(value, path) ?? 0) === 0 ? 0 : neededPort(value, path);
}
