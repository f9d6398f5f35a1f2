/** A DNS label as a regular expression of JSON Schema; to be anchored. */
export const dnsLabelPattern = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

/** Whether `text` is a DNS label (RFC 1123): 1–63 characters of a–z, 0–9 and `-`, neither first nor last a `-`. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9-]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-");
}

/** Whether `text` can name a container port (IANA_SVC_NAME): a DNS label of at most 15 characters, a letter in it, no `--`. */
export function isContainerPortName(text: string): boolean {
  return text.length <= 15 && isDnsLabel(text) && /[a-z]/.test(text) && !text.includes("--");
}
