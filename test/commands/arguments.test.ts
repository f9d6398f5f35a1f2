import { describe, expect, it } from "vitest";
import { oneOf, parseArguments, refusePositionals } from "../../src/commands/arguments.ts";
import type { Arguments, Command } from "../../src/commands/command.ts";

const command: Command = {
  name: "test",
  summary: "",
  usage: "",
  options: { output: { value: "text|json", help: "" }, shadow: { help: "" } },
  takesConfig: true,
  run: () => Promise.resolve(0),
};
const strict: Command = { ...command, takesConfig: false };

const parse = (line: string, of: Command = command): Arguments =>
  parseArguments(of, line === "" ? [] : line.split(" "));

describe("parseArguments", () => {
  it.each([
    ["", [], {}],
    ["a b", ["a", "b"], {}],
    ["--output json a", ["a"], { output: "json" }],
    ["--output=json a", ["a"], { output: "json" }],
    ["--output=a=b", [], { output: "a=b" }],
    ["--output text --output json", [], { output: "json" }],
    ["--output -", [], { output: "-" }],
    ["--shadow a", ["a"], { shadow: "true" }],
    ["--shadow false a", ["a"], { shadow: "false" }],
    ["--shadow=false", [], { shadow: "false" }],
    ["-", ["-"], {}],
    ["a -- --output -x", ["a", "--output", "-x"], {}],
  ])("reads %j", (line, positionals, options) => {
    const args = parse(line);
    expect([args.positionals, Object.fromEntries(args.options), args.flags]).toEqual([
      positionals,
      options,
      [],
    ]);
  });

  it.each([
    ["--throttle.maxDelay 1s x", [{ name: "throttle.maxDelay", value: "1s" }], ["x"]],
    ["--leader.enabled=false x", [{ name: "leader.enabled", value: "false" }], ["x"]],
    ["--leader.enabled false x", [{ name: "leader.enabled", value: "false" }], ["x"]],
    ["--leader.enabled x", [{ name: "leader.enabled", value: "true" }], ["x"]],
    ["--observe.advertise=", [{ name: "observe.advertise", value: "" }], []],
    ["--config c.yaml", [{ name: "config", value: "c.yaml" }], []],
    [
      "--config --instance a",
      [
        { name: "config", value: undefined },
        { name: "instance", value: "a" },
      ],
      [],
    ],
    ["--unknown.key v", [{ name: "unknown.key", value: "v" }], []],
    ["--guard.maxDeletes -1", [{ name: "guard.maxDeletes", value: "-1" }], []],
  ])("leaves %j to the configuration", (line, flags, positionals) => {
    const args = parse(line);
    expect([args.flags, args.positionals]).toEqual([flags, positionals]);
  });

  it.each([
    ["--outptu json", "unknown flag --outptu; did you mean --output?"],
    ["--throttle.maxDelay 1s", "unknown flag --throttle.maxDelay"],
    ["--__proto__ 1", "unknown flag --__proto__"],
    ["-o json", 'unknown flag "-o"'],
    ["--output", "--output needs a value: text|json"],
    ["--output=", "--output needs a value: text|json"],
    ["--output --shadow", "--output needs a value: text|json"],
    ["--shadow=yes", '--shadow got "yes"; allowed: true or false'],
  ])("refuses %j for a command without configuration", (line, message) => {
    expect(() => parse(line, strict)).toThrow(expect.objectContaining({ code: "USAGE", message }));
  });
});

describe("oneOf", () => {
  it("takes the first word where the option is not given", () => {
    expect(oneOf(parse(""), "output", ["text", "json"])).toBe("text");
    expect(oneOf(parse("--output json"), "output", ["text", "json"])).toBe("json");
  });

  it("refuses other words", () => {
    expect(() => oneOf(parse("--output xml"), "output", ["text", "json"])).toThrow(
      '--output got "xml"; allowed: text or json',
    );
  });
});

describe("refusePositionals", () => {
  it("names the first", () => {
    expect(() => refusePositionals(parse("a b"))).toThrow('unexpected argument "a"');
    expect(() => refusePositionals(parse(""))).not.toThrow();
  });
});
