import { describe, expect, it } from "vitest";
import { parseFieldSelector, parseLabelSelector } from "../../../src/sim/kubernetes/selector.ts";
import { pod } from "../../../src/sim/kubernetes/pod.ts";

const object = pod({
  namespace: "shop",
  name: "web-0",
  labels: { app: "web", tier: "front", empty: "", "example.com/part": "a.b" },
});

describe("parseLabelSelector", () => {
  it.each([
    ["", true],
    ["app=web", true],
    ["app==web", true],
    ["app=api", false],
    ["app!=api", true],
    ["app!=web", false],
    ["absent!=x", true],
    ["app", true],
    ["absent", false],
    ["!absent", true],
    ["!app", false],
    ["empty=", true],
    ["empty", true],
    ["app in (web, api)", true],
    ["app in (api)", false],
    ["app notin (api)", true],
    ["absent notin (web)", true],
    ["absent in (web)", false],
    ["example.com/part=a.b", true],
    ["app=web,tier in (front,back),!absent", true],
    ["app=web,tier in (back,middle)", false],
    ["constructor", false],
  ])("takes %j as %s for the object", (text, matches) => {
    expect(parseLabelSelector(text)?.(object)).toBe(matches);
  });

  it.each(["app===web", "=web", "app in web", "app in (web", "a b", "app=web,", "-app"])(
    "refuses %j",
    (text) => {
      expect(parseLabelSelector(text)).toBeUndefined();
    },
  );
});

describe("parseFieldSelector", () => {
  it.each([
    ["", true],
    ["metadata.name=web-0", true],
    ["metadata.name!=web-0", false],
    ["metadata.namespace=shop,status.phase=Running", true],
    ["status.phase=Failed", false],
    ["spec.nodeName=node-1.internal", true],
  ])("takes %j as %s for the object", (text, matches) => {
    expect(parseFieldSelector(text)?.(object)).toBe(matches);
  });

  it.each(["spec.image=x", "metadata.name", "constructor=x"])("refuses %j", (text) => {
    expect(parseFieldSelector(text)).toBeUndefined();
  });
});
