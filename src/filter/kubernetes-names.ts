/** On an EndpointSlice: the Service that it belongs to. */
export const serviceNameLabel = "kubernetes.io/service-name";
/** On an EndpointSlice that mirrors those of other clusters (KEP-1645): the Service there. */
export const mirroredServiceLabel = "multicluster.kubernetes.io/service-name";
/** On a Node that takes no traffic from outside, whatever its value. */
export const excludedNodeLabel = "node.kubernetes.io/exclude-from-external-load-balancers";
