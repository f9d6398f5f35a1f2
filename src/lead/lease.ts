/** A Lease as the election reads and writes it; pure. */

/** Of a JSON object from outside. */
type Json = Readonly<Record<string, unknown>>;

/** Where other instances and `explain` find the holder's `observe.listen`. */
const addressAnnotation = "apisix-translator.io/address";

export interface Lease {
  /** Identity of who holds it; `""`: nobody. */
  readonly holder: string;
  /** Milliseconds without a sign of life after which the holder has lost it; undefined where the record does not say. */
  readonly duration: number | undefined;
  /** The object's resourceVersion: another one is a sign of life, and a write names the one that it replaces. */
  readonly version: string;
  readonly address: string | undefined;
  /**
   * The object as read: what others put into it is kept. Its uid goes into every write: without one, the PUT of a Lease
   * that was deleted makes it anew, whatever version it names (seen on kube-apiserver 1.37.2; with it: 409).
   */
  readonly object: Json;
}

/** What an instance writes into a Lease to hold it. */
export interface LeaseClaim {
  readonly holder: string;
  /** Milliseconds, whole seconds. */
  readonly duration: number;
  readonly address: string;
}

export interface LeasePlace {
  readonly namespace: string;
  readonly name: string;
}

/** A year would make a dead holder's Lease outlive everybody's patience; the configuration allows an hour. */
const longestDuration = 3_600_000;

/** Undefined where the value is not that Lease. */
export function readLease(value: unknown, { namespace, name }: LeasePlace): Lease | undefined {
  const object = recordOf(value);
  const metadata = recordOf(object["metadata"]);
  const { holderIdentity, leaseDurationSeconds: seconds } = recordOf(object["spec"]);
  const { resourceVersion: version, uid } = metadata;
  const isIt = object["kind"] === "Lease" && metadata["name"] === name && metadata["namespace"] === namespace;
  if (!isIt || !isText(version) || !isText(uid)) return undefined;
  if (holderIdentity !== undefined && holderIdentity !== null && typeof holderIdentity !== "string")
    return undefined;
  const address = recordOf(metadata["annotations"])[addressAnnotation];
  return {
    holder: holderIdentity ?? "",
    duration:
      typeof seconds === "number" && seconds > 0 ? Math.min(seconds * 1000, longestDuration) : undefined,
    version,
    address: typeof address === "string" && address !== "" ? address : undefined,
    object,
  };
}

/**
 * The text that makes `claim` hold the Lease, in the place of `over`; null: there is none. The times in it are for
 * people: nobody may judge by them (clocks differ).
 */
export function claimText(place: LeasePlace, claim: LeaseClaim, over: Lease | null, wall: number): string {
  const now = microTime(wall);
  const before = recordOf(over?.object["spec"]);
  const isRenewal = over?.holder === claim.holder;
  const transitions = count(before["leaseTransitions"]);
  return leaseText(
    place,
    over,
    { [addressAnnotation]: claim.address },
    {
      holderIdentity: claim.holder,
      leaseDurationSeconds: claim.duration / 1000,
      acquireTime: isRenewal ? (before["acquireTime"] ?? now) : now,
      renewTime: now,
      leaseTransitions: over === null || isRenewal ? transitions : transitions + 1,
    },
  );
}

/** The text that gives the Lease up, so that the next one need not wait (as client-go releases it). */
export function releaseText(place: LeasePlace, over: Lease, wall: number): string {
  const now = microTime(wall);
  const spec = { holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
  return leaseText(place, over, {}, spec);
}

function leaseText(
  { namespace, name }: LeasePlace,
  over: Lease | null,
  annotations: Json,
  spec: Json,
): string {
  const { managedFields: _kept, ...metadata } = recordOf(over?.object["metadata"]);
  const { [addressAnnotation]: _former, ...others } = recordOf(metadata["annotations"]);
  return JSON.stringify({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { ...metadata, namespace, name, annotations: { ...others, ...annotations } },
    spec: { ...recordOf(over?.object["spec"]), ...spec },
  });
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Kubernetes' MicroTime has exactly six digits of a second. */
const microTime = (wall: number): string => `${new Date(wall).toISOString().slice(0, -1)}000Z`;

const count = (value: unknown): number => (typeof value === "number" && value >= 0 ? value : 0);

const recordOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
