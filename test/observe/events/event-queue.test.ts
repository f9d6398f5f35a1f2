import { expect, it } from "vitest";
import { EventQueue } from "../../../src/observe/events/event-queue.ts";
import { kubeEvent } from "../../../src/observe/events/kube-event.ts";
import type { KubeEvent } from "../../../src/observe/events/kube-event.ts";

function event(name: string, type: KubeEvent["type"] = "Warning"): KubeEvent {
  const regarded = { cluster: "east", kind: "pod", namespace: "shop", name, uid: name, route: "r" } as const;
  const state = type === "Warning" ? "Invalid" : "Routed";
  return kubeEvent("default", regarded, state, "x", { type, at: 1_800_000_000_000 });
}

/** What waits, in order. */
function drain(queue: EventQueue): string[] {
  const names: string[] = [];
  for (let next = queue.first(); next !== undefined; next = queue.first()) {
    names.push(next.key);
    queue.end(next.key, next.event);
  }
  return names;
}

it("where a thousand ends wait, a problem has no room, and an end takes that of the oldest", () => {
  const queue = new EventQueue();
  for (let index = 0; index < 1000; index++) queue.put(`p-${index}`, event(`p-${index}`, "Normal"), false);
  queue.put("problem", event("problem"), true);
  queue.put("end", event("end", "Normal"), false);
  expect(queue.takeDropped()).toBe(2);
  const waiting = drain(queue);
  expect([waiting.length, waiting[0], waiting.at(-1)]).toEqual([1000, "p-1", "end"]);
});

it("a problem that was dropped, and is offered again with another reason, was told to nobody: its end is none", () => {
  const queue = new EventQueue();
  for (let index = 0; index <= 1000; index++) queue.put(`p-${index}`, event(`p-${index}`), true);
  drain(queue);
  queue.put("p-0", event("p-0"), false);
  queue.put("p-0", event("p-0", "Normal"), false);
  expect(queue.size).toBe(0);
});
