import { describe, expect, it } from "vitest";
import { reportFault, runCommand } from "../../src/commands/cli.ts";
import { plan } from "../../src/commands/plan.ts";
import { TranslatorError } from "../../src/errors.ts";
import { recordedIo } from "./recorded-io.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(line: string, given: Parameters<typeof recordedIo>[0] = {}): Promise<Ran> {
  const { io, out, err } = recordedIo(given);
  const code = await runCommand(line === "" ? [] : line.split(" "), "1.2.3", io);
  return { code, out: out(), err: err() };
}

const see = (command = ""): string => `See "apisix-translator${command} --help".\n`;

describe("the command line", () => {
  it.each([
    ["", `apisix-translator: a command is missing\n${see()}`],
    ["pln", `apisix-translator: unknown command "pln"; did you mean plan?\n${see()}`],
    ["zzzz", `apisix-translator: unknown command "zzzz"\n${see()}`],
    ["--verbose", `apisix-translator: unknown command "--verbose"\n${see()}`],
    [
      "doctor x",
      `apisix-translator doctor: unexpected argument "x"
${see(" doctor")}`,
    ],
    ["run x", `apisix-translator run: unexpected argument "x"\n${see(" run")}`],
    [
      "plan --output xml",
      `apisix-translator plan: --output got "xml"; allowed: text or json\n${see(" plan")}`,
    ],
    ["explain", `apisix-translator explain: TARGET is missing\n${see(" explain")}`],
    [
      "explain a b",
      `apisix-translator explain: unexpected argument "b": one TARGET at a time\n${see(" explain")}`,
    ],
    [
      "explain a.b --server ftp://x",
      `apisix-translator explain: --server: allowed: an http or https URL without credentials, as http://127.0.0.1:8080\n${see(" explain")}`,
    ],
  ])("%j is exit 2 with one clear line and a hint", async (line, err) => {
    expect(await cli(line)).toEqual({ code: 2, out: "", err });
  });

  it("prints help and version to standard output", async () => {
    const version = await cli("--version");
    expect(version).toEqual({ code: 0, out: "1.2.3\n", err: "" });
    const help = await cli("--help");
    expect([help.code, help.err]).toEqual([0, ""]);
    for (const name of ["run", "demo", "plan", "explain"]) expect(help.out).toContain(`\n  ${name} `);
  });

  it("helps with a command whatever else stands there, and lists the configuration keys", async () => {
    const help = await cli("run --nonsense --help");
    expect([help.code, help.err]).toEqual([0, ""]);
    expect(help.out).toContain("--throttle.maxDelay VALUE");
    expect((await cli("explain -h")).out).not.toContain("--throttle.maxDelay");
  });

  it.each(["run", "plan", "doctor"])("help with %s tells the exit codes", async (name) => {
    expect((await cli(`${name} --help`)).out).toMatch(/\n\nExit: 0 .*; 1 .*; 2 /);
  });

  it("doctor lists no keys that it does not use, and takes them", async () => {
    const { out } = await cli("doctor --help");
    expect(out).toContain("--gateway.timeout VALUE");
    for (const section of ["throttle", "guard", "audit", "shards"])
      expect(out).not.toContain(`--${section}.`);
    const ran = await cli("doctor --throttle.quiet 1ms");
    expect(ran.err).not.toContain("throttle");
  });

  it.each([
    ["purge", "--cluster NAME"],
    ["cluster accept", "--server URL"],
  ])("%s: its own flags first, the configuration's in one line", async (name, own) => {
    const { code, out } = await cli(`${name} --help`);
    expect(code).toBe(0);
    const flags = out.split("\nFlags:\n")[1]?.trimEnd().split("\n") ?? [];
    expect(flags[0]).toContain(`  ${own} `);
    expect(flags.slice(-2)).toEqual([
      expect.stringContaining("--config FILE"),
      expect.stringMatching(/^ {2}--KEY VALUE +every configuration key, see docs\/configuration.md$/),
    ]);
    expect(out).not.toContain("--throttle");
  });

  it.each(["run", "plan"])(
    "%s tells everything wrong in the configuration at once, and exits 2",
    async (name) => {
      const files = {
        "c.yaml": "clusters: [{name: a, inCluster: true}]\ngateway: {adminUrls: [http://a:1]}\n",
      };
      const env = { APISIX_ADMIN_KEY: "k", TRANSLATOR_SHARDS_COUNT: "x" };
      const ran = await cli(`${name} --config c.yaml --shards.by pod --leader.enabled=false`, { files, env });
      expect(ran).toEqual({
        code: 2,
        out: "",
        err: `apisix-translator ${name}: the configuration cannot be used: 2 problems
  shards.count: got "x"; allowed: a whole number from 0 to 64 (given as TRANSLATOR_SHARDS_COUNT)
  shards.by: got "pod"; allowed: service or cluster (given as --shards.by)
`,
      });
    },
  );
});

describe("reportFault", () => {
  const report = (error: unknown, command?: typeof plan, colour = false): Ran => {
    const { io, out, err } = recordedIo({ colour });
    return { code: reportFault(error, command, io.stderr), out: out(), err: err() };
  };

  it("is one line without a stack, and exit 1", () => {
    const expected = { code: 1, out: "", err: "apisix-translator: disk on fire\n" };
    expect(report(new Error("disk\non\u001bfire"))).toEqual(expected);
    expect(report("disk on fire")).toEqual(expected);
    expect(report(new TranslatorError("KUBE_STATUS", "disk on fire"))).toEqual(expected);
  });

  it("is more than 1 for plan, which answers 1 where there are changes", () => {
    expect(report(new Error("x"), plan).code).toBe(2);
  });

  it("is coloured only on a terminal", () => {
    expect(report(new Error("x"), plan, true).err).toBe("\u001b[31mapisix-translator plan:\u001b[39m x\n");
  });
});
