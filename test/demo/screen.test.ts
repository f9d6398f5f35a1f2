import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Sink } from "../../src/commands/command.ts";
import { Screen } from "../../src/demo/screen.ts";

const clear = "\r\u001b[2K";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Both streams are one terminal: what is written stands in one text, in order. */
function terminal(
  isTerminal: { readonly stdout: boolean; readonly stderr: boolean } = { stdout: true, stderr: true },
): { readonly screen: Screen; readonly text: () => string } {
  let written = "";
  const sink = (name: "stdout" | "stderr"): Sink => ({
    write: (text) => void (written += text),
    isTerminal: isTerminal[name],
    colour: false,
  });
  return { screen: new Screen({ stdout: sink("stdout"), stderr: sink("stderr") }), text: () => written };
}

describe("the demo's screen", () => {
  it("clears the live line before a line of the story or the log, and draws it again after", () => {
    const { screen, text } = terminal();
    screen.show(() => "24 routes");
    vi.advanceTimersToNextTimer();
    screen.tell("oslo is lost");
    screen.log.write("a fault\n");
    const live = `${clear}24 routes`;
    expect(text()).toBe(`${live}${clear}oslo is lost\n${live}${clear}a fault\n${live}`);
    screen.stop();
  });

  it("leaves nothing of the live line when it stops", () => {
    const { screen, text } = terminal();
    screen.show(() => "24 routes");
    vi.advanceTimersToNextTimer();
    screen.stop();
    screen.tell("the end");
    vi.advanceTimersByTime(60_000);
    expect(text()).toBe(`${clear}24 routes${clear}the end\n`);
  });

  it.each([
    { stdout: false, stderr: true },
    { stdout: true, stderr: false },
    { stdout: false, stderr: false },
  ])("has no live line where %j", (isTerminal) => {
    const { screen, text } = terminal(isTerminal);
    screen.show(() => "24 routes");
    vi.advanceTimersByTime(60_000);
    screen.tell("oslo is lost");
    screen.stop();
    expect(text()).toBe("oslo is lost\n");
  });
});
