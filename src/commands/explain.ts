import { parseTarget } from "../observe/target.ts";
import { oneOf, usage } from "./arguments.ts";
import type { Command } from "./command.ts";
import { askForExplanation } from "./explanation.ts";
import { explanationText, foreignText } from "./explanation-text.ts";

const defaultServer = "http://127.0.0.1:8080";

/** Asks a running instance where declarations stand, and why. */
export const explain: Command = {
  name: "explain",
  summary: "say of a Pod, a Service or a host whether it is routed, and why",
  usage:
    "TARGET [--server URL] [--output text|json]\n\nTARGET: cluster/namespace/pod/name, cluster/namespace/service/name, a host, or host/uri",
  options: {
    server: { value: "URL", help: `the instance to ask (${defaultServer})` },
    output: { value: "text|json", help: "sentences, or one JSON document (text)" },
  },
  takesConfig: false,

  /** Answers 0; 1 where nothing is known of the target or no instance can say. */
  async run(args, io) {
    const [text, ...more] = args.positionals;
    if (text === undefined || more.length > 0)
      throw usage(`it takes one target, and got ${args.positionals.length}`);
    const target = parseTarget(text);
    if (!target.ok) throw usage(`TARGET ${JSON.stringify(text)}: ${target.message}`);
    const output = oneOf(args, "output", ["text", "json"]);
    const server = serverUrl(args.options.get("server") ?? defaultServer);

    const answer = await askForExplanation(server, text, io);
    if (!answer.ok) {
      io.stderr.write(`${answer.message}\n`);
      return 1;
    }
    const { declarations, foreign } = answer;
    if (output === "json") {
      const told = foreign.length === 0 ? { declarations } : { declarations, foreign };
      io.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
    } else {
      for (const declaration of declarations) io.stdout.write(explanationText(declaration));
      for (const route of foreign) io.stdout.write(foreignText(route));
    }
    if (declarations.length > 0 || foreign.length > 0) return 0;
    io.stderr.write(`nothing is known of ${text}\n`);
    return 1;
  },
};

function serverUrl(text: string): URL {
  const url = URL.parse(text);
  const good = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!good)
    throw usage("--server: allowed is an http or https URL without credentials, as http://127.0.0.1:8080");
  return url;
}
