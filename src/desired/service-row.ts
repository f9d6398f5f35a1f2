import type { UpstreamNode } from "../apisix/types.ts";
import { enabledLabel } from "../declare/names.ts";
import type { ServicePort, ServiceProjection } from "../store/projection.ts";
import type { NodeContext } from "./pod-nodes.ts";
import { whyDrained } from "./pod-nodes.ts";
import { serviceEndpoints } from "./service-endpoints.ts";
import type { EndpointChoice } from "./service-endpoints.ts";
import type { Selection } from "./settings.ts";
import type { SourceRow } from "./source-rows.ts";

/** Which of it is so, no shard can tell: it hears of no slice that takes no part. */
const noSlice = [
  "no EndpointSlice of it is seen that can be used: one of addressType FQDN, one that mirrors another cluster's, and one that cannot be read (which the log names) take no part",
  `one that is not made from the Service's selector must carry the label ${enabledLabel}=true, or clusters[].sliceSelector be none`,
].join("; ");

/** Services as sources. */
export const serviceRow: SourceRow<ServiceProjection> = {
  controllerOf: () => undefined,
  problemOf(service, { port, via }) {
    if (service.external)
      return "the Service is of type ExternalName: it has no endpoints, only a name outside the cluster";
    const found = servicePort(service, port);
    if (found === undefined) {
      const ports = service.ports.map((each) => portText(each)).join(", ") || "none";
      return `port is ${JSON.stringify(port)}: the Service has no such TCP port (there are: ${ports})`;
    }
    if (via === "endpoint" || found.nodePort > 0) return undefined;
    return `via is "nodePort": port ${portText(found)} of the Service has no nodePort`;
  },
  isLiving: ({ terminating }) => !terminating,
  declaresAlike: (a, b) =>
    a.external === b.external &&
    a.ports.length === b.ports.length &&
    a.ports.every(({ name, port, nodePort }, index) => {
      const other = b.ports[index];
      return other?.name === name && other.port === port && other.nodePort === nodePort;
    }),
  whyNoNodes({ namespace, name, local }, { via }, context) {
    const { cluster, feeds, weight } = context;
    if (weight === 0) return whyDrained(context);
    if (via === "nodePort" && feeds.nodes.count(cluster) === 0) return "no Node of the cluster is seen";
    if ((via === "nodePort" && !local) || feeds.slices.has(cluster, namespace, name)) return "";
    return noSlice;
  },
  isBare({ namespace, name, local, external }, { via }, { cluster, weight, feeds }) {
    if (external || weight === 0) return false;
    if (via === "nodePort" && feeds.nodes.count(cluster) === 0) return true;
    return (via === "endpoint" || local) && !feeds.slices.has(cluster, namespace, name);
  },
  nodesOf(service, selection, context) {
    const port = servicePort(service, selection.port);
    if (port === undefined || service.external || context.weight === 0) return [];
    const metadata = context.owned ? { metadata: { cluster: context.cluster } } : {};
    const node = (host: string, number: number): UpstreamNode => ({
      ...{ host, port: number, weight: context.weight },
      ...metadata,
    });
    if (selection.via === "endpoint") {
      return endpointsOf(service, port, selection, context).map((each) => node(each.host, each.port));
    }
    if (port.nodePort === 0) return [];
    return addressesOf(service, port, selection, context).map((host) => node(host, port.nodePort));
  },
};

/** The port that a declaration means, by its name or its number; undefined where the Service has none. */
function servicePort(service: ServiceProjection, port: number | string): ServicePort | undefined {
  return service.ports.find((each) => (typeof port === "number" ? each.port : each.name) === port);
}

function portText({ name, port }: ServicePort): string {
  return name === "" ? `${port}` : `${port} (${name})`;
}

function endpointsOf(
  { namespace, name }: ServiceProjection,
  port: ServicePort,
  { publishNotReady }: Selection,
  { cluster, addressFamily, feeds }: NodeContext,
): ReturnType<typeof serviceEndpoints> {
  const choice: EndpointChoice = { port: port.name, family: addressFamily, publishNotReady };
  return serviceEndpoints(feeds.slices.of(cluster, namespace, name), choice);
}

/** With `externalTrafficPolicy: Local` a Node without an endpoint that takes traffic drops what comes. */
function addressesOf(
  service: ServiceProjection,
  port: ServicePort,
  selection: Selection,
  context: NodeContext,
): readonly string[] {
  const { cluster, addressFamily: family, nodePort, feeds } = context;
  const only = service.local
    ? new Set(endpointsOf(service, port, selection, context).flatMap(({ nodes }) => nodes))
    : undefined;
  return feeds.nodes.choose(cluster, {
    ...nodePort,
    family,
    only,
    asker: `${service.namespace}/${service.name}`,
  });
}
