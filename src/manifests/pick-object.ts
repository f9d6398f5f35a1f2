import type { ManifestObject } from "./manifest-object.ts";

/** An object that carries declarations, or why none could be chosen. */
export type Picked =
  | { readonly ok: true; readonly object: ManifestObject & Carrying }
  | { readonly ok: false; readonly reason: string };

interface Carrying {
  readonly source: NonNullable<ManifestObject["source"]>;
}

/**
 * Chooses the object that declarations go to: the one that is called `wanted` (`KIND/NAME` or `KIND/NAMESPACE/NAME`), or else the only one
 * with Pods (a Pod or a workload's Pod template), or else the only Service.
 */
export function pickObject(objects: readonly ManifestObject[], wanted: string | undefined): Picked {
  const carrying = objects.filter(
    (object): object is ManifestObject & Carrying => object.source !== undefined,
  );
  const pods = carrying.filter(({ source }) => source.kind === "pod");
  const eligible =
    wanted !== undefined
      ? carrying.filter((object) => isCalled(object, wanted.toLowerCase()))
      : pods.length > 0
        ? pods
        : carrying;
  const [object, ...others] = eligible;
  if (object !== undefined && others.length === 0) return { ok: true, object };
  const there = carrying.map(titleOf).join(", ");
  if (there === "") {
    return { ok: false, reason: "there is no Pod, Service or workload with a Pod template in it" };
  }
  if (wanted === undefined)
    return { ok: false, reason: `several objects can carry it; choose with --object: ${there}` };
  const count = object === undefined ? "no" : "more than one";
  return { ok: false, reason: `there is ${count} ${wanted} that can carry it; there are: ${there}` };
}

/** `Deployment/web`, or `Deployment/shop/web` where the namespace is written. */
export const titleOf = ({ kind, namespace, name }: ManifestObject): string =>
  [kind, namespace, name].filter(Boolean).join("/");

const isCalled = (object: ManifestObject, wanted: string): boolean =>
  titleOf(object).toLowerCase() === wanted || `${object.kind}/${object.name}`.toLowerCase() === wanted;
