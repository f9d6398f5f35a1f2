import { hash } from "node:crypto";
import type { State } from "../state.ts";

/** One declaration of one object, or the object itself (`route: ""`), in its own cluster. */
export interface Regarded {
  readonly cluster: string;
  readonly kind: "pod" | "service";
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** `""`: the object as a whole. */
  readonly route: string;
}

/** One Event of ours. Equal names are the same Event, on whose series the next one counts. */
export interface KubeEvent {
  readonly cluster: string;
  readonly namespace: string;
  /** Hash of instance, object, route and state; a DNS label. */
  readonly name: string;
  readonly type: "Warning" | "Normal";
  readonly reason: State;
  /** One sentence, at most 1 KiB. */
  readonly note: string;
  readonly instance: string;
  readonly regarded: Regarded;
  /** Wall clock, milliseconds. */
  readonly at: number;
}

/** Of the API: a note has at most 1,024 bytes. */
const longestNote = 1000;
/** 40 hexadecimal digits. */
const nameBytes = 20;

/** `reason`: what `explain` says, one sentence. */
export function kubeEvent(
  instance: string,
  regarded: Regarded,
  state: State,
  reason: string,
  { type, at }: Pick<KubeEvent, "type" | "at">,
): KubeEvent {
  const { cluster, kind, namespace, name, uid, route } = regarded;
  const text = JSON.stringify([instance, cluster, kind, namespace, name, uid, route, state]);
  return {
    ...{ cluster, namespace, type, reason: state, instance, regarded, at },
    name: hash("sha256", text, "buffer").toString("hex", 0, nameBytes),
    note: cut(route === "" ? reason : `route ${route}: ${reason}`),
  };
}

/** Kubernetes' MicroTime has exactly six digits of a second. */
export const microTime = (wall: number): string => `${new Date(wall).toISOString().slice(0, -1)}000Z`;

/** Body of a POST: `events.k8s.io/v1`. */
export function eventBody({
  name,
  namespace,
  type,
  reason,
  note,
  instance,
  regarded,
  at,
}: KubeEvent): string {
  return JSON.stringify({
    ...{ apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name, namespace } },
    eventTime: microTime(at),
    ...{ reportingController: "apisix-translator.io/translator", reportingInstance: instance },
    ...{ action: "Translate", type, reason, note },
    regarding: {
      apiVersion: "v1",
      kind: regarded.kind === "pod" ? "Pod" : "Service",
      ...{ namespace, name: regarded.name, uid: regarded.uid },
    },
  });
}

/** In bytes of UTF-8, without half a character at the end. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= longestNote) return note;
  let end = longestNote;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.toString("utf8", 0, end)}…`;
}
