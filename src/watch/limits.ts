/** What is believed of a list or a watch, whatever its format. */

/** etcd refuses objects over 1.5 MB; a frame adds little to its object. */
export const maxFrameBytes = 4 * 1024 * 1024;
/** 500 objects of 512 KB each: no honest page is longer. It is never held in memory. */
export const maxPageBytes = 256 * 1024 * 1024;
/** Of a list without its items. */
export const maxEnvelopeBytes = 64 * 1024;
export const maxContinueLength = 32 * 1024;
/** Kubernetes' own limit on the length of names. */
const maxNameLength = 253;

/** The annotation of the bookmark that ends the initial events of a WatchList. */
export const initialEventsEnd = "k8s.io/initial-events-end";

export function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxNameLength;
}
