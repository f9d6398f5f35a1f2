import type { PodOptions } from "../../src/sim/kubernetes/pod.ts";
import { pod } from "../../src/sim/kubernetes/pod.ts";

/** `creationTimestamp` of what came first, second, … */
export function born(order: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, order)).toISOString().replace(".000Z", "Z");
}

/** A Pod of the namespace `shop` that exposes port 8080 as its route `web` under one host. */
export function web(name: string, host: string, options: Partial<PodOptions> = {}): ReturnType<typeof pod> {
  return pod({ namespace: "shop", name, routes: [entry(host)], ...options });
}

/** The declaration of `web`, with other fields. */
export function entry(host: string, fields: object = {}): object {
  return { name: "web", port: 8080, host, ...fields };
}

/** So many different Pods, `NAME-0`, `NAME-1`, …, each with a host of its own, `NAME-0.example.com`. */
export function many(
  name: string,
  count: number,
  options: Partial<PodOptions> = {},
): ReturnType<typeof pod>[] {
  return Array.from({ length: count }, (_, index) =>
    web(`${name}-${index}`, `${name}-${index}.example.com`, options),
  );
}
