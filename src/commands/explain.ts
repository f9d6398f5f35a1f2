import { shown } from "../config/problems.ts";
import { parseTarget } from "../observe/target.ts";
import { oneOf, onePositional, usage } from "./arguments.ts";
import type { Command } from "./command.ts";
import { serverUrl } from "./ask-instance.ts";
import { askForExplanation } from "./explanation.ts";
import {
  explanationText,
  foreignText,
  groups,
  meantObject,
  namesKind,
  unknownText,
} from "./explanation-text.ts";

const defaultServer = "http://127.0.0.1:8080";

/** Asks a running instance where declarations stand, and why. */
export const explain: Command = {
  name: "explain",
  summary: "say of a Pod, a Service or a host whether it is routed, and why",
  usage:
    "TARGET [--server URL] [--output text|json]\n\nTARGET: cluster/namespace/pod/name, cluster/namespace/service/name, a host, host/uri,\nor the id or the name that a route of the translator has in APISIX",
  options: {
    server: { value: "URL", help: `observe.listen of the instance to ask (${defaultServer})` },
    output: { value: "text|json", help: "sentences, or one JSON document (text)" },
  },
  takesConfig: false,

  /** Answers 0; 1 where nothing is known of the target or no instance can say. */
  async run(args, io) {
    const text = onePositional(args, "TARGET");
    const target = parseTarget(text);
    if (!target.ok) throw usage(`TARGET got ${shown(text)}: ${target.message}`);
    const output = oneOf(args, "output", ["text", "json"]);
    const server = serverUrl(args.options.get("server") ?? defaultServer, defaultServer);

    const answer = await askForExplanation(server, text, io);
    if (!answer.ok) {
      io.stderr.write(`${answer.message}\n`);
      return 1;
    }
    const { declarations, foreign, unknown } = answer;
    if (output === "json") {
      const told = foreign.length === 0 ? { declarations } : { declarations, foreign };
      io.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
    } else {
      for (const group of groups(declarations)) io.stdout.write(explanationText(group));
      for (const route of foreign) io.stdout.write(foreignText(route));
    }
    if (declarations.length > 0 || foreign.length > 0) return 0;
    const meant = meantObject(text);
    const there = meant === undefined ? undefined : await askForExplanation(server, meant, io);
    const isThere = there?.ok === true && there.declarations.length > 0;
    const isClear = meant !== undefined && namesKind(text) && there?.ok === true;
    io.stderr.write(
      isClear && !isThere
        ? unknownText(meant, there.unknown, undefined)
        : unknownText(text, unknown, isThere ? meant : undefined),
    );
    return 1;
  },
};
