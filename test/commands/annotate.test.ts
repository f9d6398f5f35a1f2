import { describe, expect, it } from "vitest";
import { annotateCommand } from "../../src/commands/annotate.ts";
import { entryFromFlags } from "../../src/commands/annotate-flags.ts";
import { parseArguments } from "../../src/commands/arguments.ts";
import { reportFault } from "../../src/commands/cli.ts";
import { recordedIo } from "./recorded-io.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly written: Readonly<Record<string, string>>;
}

const pod = "kind: Pod # mine\nmetadata:\n  name: x\n";
const annotatedPod = (entry: string): string =>
  `${pod}  labels:\n    apisix-translator.io/enabled: "true"\n  annotations:\n    apisix-translator.io/routes: |\n      [${entry}]\n`;

async function annotate(words: readonly string[], stdin = "", refuseToWrite = false): Promise<Ran> {
  const { io, out, err } = recordedIo({ files: { "pod.yaml": pod } });
  const written: Record<string, string> = {};
  const command = annotateCommand(
    () => Promise.resolve(stdin),
    (path, text) => {
      if (refuseToWrite) throw Object.assign(new Error(path), { code: "EACCES" });
      written[path] = text;
    },
  );
  const ran = async (): Promise<number> => command.run(parseArguments(command, words), io);
  const code = await ran().catch((error: unknown) => reportFault(error, command, io.stderr));
  return { code, out: out(), err: err(), written };
}

const see = 'See "apisix-translator annotate --help".\n';

describe("annotate", () => {
  it("prints the manifest and writes nothing", async () => {
    expect(await annotate(["pod.yaml", "--name", "web", "--port", "80", "--host", "a.x"])).toEqual({
      code: 0,
      out: annotatedPod('{"name": "web", "port": 80, "host": "a.x"}'),
      err: "pod.yaml: Pod/x is annotated in what is printed; the file is as it was (--in-place writes it)\n",
      written: {},
    });
  });

  it("--in-place writes the file and prints nothing", async () => {
    expect(await annotate(["--in-place", "pod.yaml", "--name=web", "--port=80"])).toEqual({
      code: 0,
      out: "",
      err: "pod.yaml: Pod/x is annotated\n",
      written: { "pod.yaml": annotatedPod('{"name": "web", "port": 80}') },
    });
  });

  it("reads standard input as -, and says where nothing had to change", async () => {
    const before = annotatedPod('{"name": "web", "port": 80}');
    const ran = await annotate(["-", "--name", "web", "--port", "80"], before);
    expect(ran).toEqual({ code: 0, out: before, err: "-: Pod/x has it already\n", written: {} });
  });

  it("names the Service that it did not choose, and refuses via where there is none of it", async () => {
    const both = `${pod}---\nkind: Service\nmetadata:\n  name: s\n`;
    const words = ["-", "--name", "web", "--port", "80"];
    expect((await annotate(words, both)).err).toBe(
      "-: Pod/x is annotated in what is printed; --object would choose Service/s\n",
    );
    const via = await annotate([...words, "--via", "endpoint"], both);
    expect([via.code, via.out]).toEqual([2, ""]);
    expect(via.err).toContain(
      "via is for Services alone, and this would go to Pod/x; choose one with --object: Service/s\n",
    );
    const chosen = await annotate([...words, "--via", "endpoint", "--object", "Service/s"], both);
    expect(chosen.err).toBe("-: Service/s is annotated in what is printed\n");
  });

  it("refuses what would be invalid with every problem, and exits 2", async () => {
    const ran = await annotate(["pod.yaml", "--port", "0", "--priority", "high", "--in-place"]);
    expect(ran).toEqual({
      code: 2,
      out: "",
      err: `apisix-translator annotate: pod.yaml is left as it is: 3 problems
  name is missing: allowed is a DNS label: 1 to 63 of a-z, 0-9 and -, no - at its start or end
  port is 0: allowed is an integer from 1 to 65535, or the name of a container port
  priority is "high": allowed is an integer from -99999999999999 to 99999999999999
${see}`,
      written: {},
    });
  });

  it.each([
    [[], "FILE is missing"],
    [["a", "b"], 'unexpected argument "b": one FILE at a time'],
    [["-", "--in-place"], "standard input cannot be written in place"],
    [["gone.yaml"], "gone.yaml cannot be read: there is no such file"],
    [["pod.yaml", "--prt", "80"], "unknown flag --prt; did you mean --port?"],
  ])("%j is bad usage", async (words, sentence) => {
    const ran = await annotate(words);
    expect([ran.code, ran.out, ran.err]).toEqual([2, "", `apisix-translator annotate: ${sentence}\n${see}`]);
  });

  it("says why a file cannot be written", async () => {
    const ran = await annotate(["pod.yaml", "--name", "a", "--port", "1", "--in-place"], "", true);
    expect([ran.code, ran.err]).toEqual([
      2,
      `apisix-translator annotate: pod.yaml cannot be written: permission denied\n${see}`,
    ]);
  });
});

describe("flags are the field names", () => {
  const command = annotateCommand(
    () => Promise.resolve(""),
    () => undefined,
  );
  const entry = (...words: readonly string[]): unknown => {
    const flags = entryFromFlags(parseArguments(command, words));
    return flags.ok ? flags.entry : flags.reasons;
  };

  it.each<[readonly string[], unknown]>([
    [["--port", "http"], { port: "http" }],
    [["--port", "8080"], { port: 8080 }],
    [["--host", "a.x", "--host", "b.x"], { hosts: ["a.x", "b.x"] }],
    [["--hosts", "a.x, b.x", "--hosts=c.x"], { hosts: ["a.x", "b.x", "c.x"] }],
    [["--host", "a.x", "--hosts", "b.x"], { host: "a.x", hosts: ["b.x"] }],
    [["--uri", "/a", "--uri", "/b"], { uris: ["/a", "/b"] }],
    [["--uris", '["/a,b"]', "--uris", "/c"], { uris: ["/a,b", "/c"] }],
    [["--methods", "GET,HEAD"], { methods: ["GET", "HEAD"] }],
    [["--priority", "-5", "--retries", "1.5"], { priority: -5, retries: 1.5 }],
    [["--websocket", "--publishNotReady=false"], { websocket: true, publishNotReady: false }],
    [["--rewrite", '{"uri": "/a"}', "--plugins={}"], { rewrite: { uri: "/a" }, plugins: {} }],
    [["--loadBalancer", "ewma"], { loadBalancer: "ewma" }],
    [
      ["--loadBalancer", '{"chash": {"hashOn": "vars", "key": "a"}}'],
      { loadBalancer: { chash: { hashOn: "vars", key: "a" } } },
    ],
    [
      ["--timeout", '{"connect": 1}', "--healthCheck", '{"path": "/"}'],
      { timeout: { connect: 1 }, healthCheck: { path: "/" } },
    ],
    [
      [
        "--scheme",
        "grpc",
        "--passHost",
        "node",
        "--share",
        "none",
        "--via",
        "endpoint",
        "--protocol",
        "http",
      ],
      { scheme: "grpc", passHost: "node", share: "none", via: "endpoint", protocol: "http" },
    ],
  ])("%j", (words, expected) => {
    expect(entry(...words)).toEqual(expected);
  });

  it("all that cannot be read is told at once", () => {
    const reasons = entry(
      "--name",
      "a",
      "--name",
      "b",
      "--timeout",
      "5s",
      "--plugins",
      '{"a": 1, "a": 2}',
      "--hosts",
      "[",
    );
    expect(reasons).toEqual([
      "--name is given 2 times; allowed: once",
      expect.stringContaining("--hosts: it is not JSON"),
      '--plugins: the key "a" stands twice',
      expect.stringContaining("--timeout: it is not JSON"),
    ]);
  });
});
