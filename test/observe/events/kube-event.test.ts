import fc from "fast-check";
import { expect, it } from "vitest";
import { eventBody, kubeEvent } from "../../../src/observe/events/kube-event.ts";
import type { Regarded } from "../../../src/observe/events/kube-event.ts";

const regarded: Regarded = {
  ...{ cluster: "east", kind: "pod", namespace: "shop", name: "web-0", uid: "u-1", route: "web" },
};
const when = { type: "Warning", at: 1_800_000_000_000 } as const;

it("one object, route and state have one name, whatever is said of them; each other one has another", () => {
  const nameOf = (
    instance: string,
    over: Partial<Regarded> = {},
    state: "Invalid" | "Conflict" = "Invalid",
  ) => kubeEvent(instance, { ...regarded, ...over }, state, "x", when).name;
  const name = nameOf("default");
  expect(name).toMatch(/^[0-9a-f]{40}$/);
  expect(kubeEvent("default", regarded, "Invalid", "another reason", { ...when, at: 0 }).name).toBe(name);
  const others = [
    nameOf("other"),
    nameOf("default", {}, "Conflict"),
    ...(["cluster", "namespace", "name", "uid", "route"] as const).map((key) =>
      nameOf("default", { [key]: "x" }),
    ),
    nameOf("default", { kind: "service" }),
  ];
  expect(new Set([name, ...others]).size).toBe(1 + others.length);
});

it("a note is at most 1,024 bytes and whole characters, whatever the reason", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 1500 }), (reason) => {
      const { note } = kubeEvent("default", regarded, "Invalid", reason, when);
      const bytes = Buffer.from(note);
      expect(bytes.length).toBeLessThanOrEqual(1024);
      if (Buffer.byteLength(reason) < 900) expect(note).toBe(`route web: ${reason}`);
      else expect(`route web: ${reason}`.startsWith(note.replace(/…$/, ""))).toBe(true);
    }),
  );
});

it("is an events.k8s.io/v1 Event on its Service, with six digits of a second", () => {
  const event = kubeEvent("blue", { ...regarded, kind: "service", route: "" }, "Forbidden", "no", when);
  expect(JSON.parse(eventBody(event))).toEqual({
    ...{ apiVersion: "events.k8s.io/v1", kind: "Event", type: "Warning", reason: "Forbidden", note: "no" },
    metadata: { name: event.name, namespace: "shop" },
    eventTime: "2027-01-15T08:00:00.000000Z",
    ...{ reportingController: "apisix-translator.io/translator", reportingInstance: "blue" },
    action: "Translate",
    regarding: { apiVersion: "v1", kind: "Service", namespace: "shop", name: "web-0", uid: "u-1" },
  });
});
