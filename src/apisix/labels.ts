/** Keys and fixed values of the labels on what we write (PRODUCT.md, "What stands in APISIX"). */

export const managedByLabel = "managed-by";
export const managedByValue = "apisix-translator";
export const instanceLabel = "translator/instance";
export const clusterLabel = "translator/cluster";
export const kindLabel = "translator/kind";
export const namespaceLabel = "translator/namespace";
export const nameLabel = "translator/name";
export const routeLabel = "translator/route";
export const shareLabel = "translator/share";
/** On both: hash of the body as built, before this label is added. */
export const digestLabel = "translator/digest";
/** On upstreams under `none`: uid of the source. */
export const uidLabel = "translator/uid";
/** On upstreams: what chooses the nodes, `port,via,ready` or `port,via,all`. */
export const selectLabel = "translator/select";
/** On upstreams, one for each cluster with a member; the cluster's name follows. */
export const memberLabelPrefix = "translator/member.";
