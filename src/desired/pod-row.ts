import type { PodProjection } from "../store/projection.ts";
import { isLiving, podNodes, podPort, whyNoPodNodes } from "./pod-nodes.ts";
import type { SourceRow } from "./source-rows.ts";

/** Pods as sources. */
export const podRow: SourceRow<PodProjection> = {
  controllerOf: ({ controller }) => controller || undefined,
  problemOf(pod, { port }) {
    if (podPort(pod, port) !== undefined) return undefined;
    const names = pod.ports.map(([name]) => name).join(", ") || "none";
    return `port is ${JSON.stringify(port)}: no container has a port of that name (there are: ${names})`;
  },
  isLiving,
  declaresAlike: (a, b) =>
    a.controller === b.controller &&
    a.ports.length === b.ports.length &&
    a.ports.every(([name, port], index) => b.ports[index]?.[0] === name && b.ports[index]?.[1] === port),
  whyNoNodes: (pod, { publishNotReady }, context) => whyNoPodNodes(pod, publishNotReady, context),
  isBare: () => false,
  nodesOf(pod, selection, context) {
    const port = podPort(pod, selection.port);
    return port === undefined ? [] : podNodes(pod, port, selection.publishNotReady, context);
  },
};
