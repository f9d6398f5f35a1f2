import type { Answer, Ask, Commands } from "./protocol.ts";

/** Answers the parent's commands; the process ends with the parent. */
export function serve(commands: Commands): void {
  process.on("message", (message) => {
    const { number, command, args } = message as Ask;
    answer(number, commands[command], args).then((said) => process.send?.(said), end);
  });
  process.on("disconnect", () => process.exit(1));
}

async function answer(
  number: number,
  command: Commands[string] | undefined,
  args: readonly unknown[],
): Promise<Answer> {
  if (command === undefined) return { number, problem: "no such command" };
  try {
    return { number, value: await command(...(args as never[])) };
  } catch (error) {
    return { number, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function end(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
