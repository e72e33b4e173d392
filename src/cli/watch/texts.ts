/** Texts that fill the screen, broken into lines that fit: the page of a run, and the help. */

import type { Size } from "./model.ts";
import { plain, widthOf, wrapped } from "./width.ts";

/** Of a page so much is shown: whoever wants more opens the file. */
const PAGE_MAX = 400_000;
const TAB = "    ";

/** A title above, keys below. */
const FRAME = 2;

export function textRoom({ lines }: Size): number {
  return Math.max(1, lines - FRAME);
}

export function pageLines(text: string, { columns }: Size): string[] {
  const lines = text.slice(0, PAGE_MAX).replace(/\n$/, "").split(/\r?\n/);
  return lines.flatMap((line) => {
    const shown = spaced(line.replaceAll("\t", TAB));
    return widthOf(shown) <= columns ? [shown] : wrapped(shown, columns);
  });
}

/** What stands at the beginning of a line means something in a page. */
function spaced(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  return `${indent}${plain(line.slice(indent.length))}`;
}

const HELP: readonly (readonly [keys: string, does: string])[] = [
  ["j k, arrows", "to the next or previous run; so do the wheel and a click; g and G: first and last"],
  [
    "Enter, w",
    "the session lives: attach to it. The agent has crashed: respawn it. Halted or in trouble: resume. Not begun: start",
  ],
  [
    "v",
    "read what the run asks, and its page (TASK.md); there r asks for changes, a answers, and Esc, v or q go back",
  ],
  ["r", "ask for changes, where the run waits for your review"],
  ["a", "answer what an agent has asked, where the run waits for that, and lead it on"],
  ["m", "merge the branch and finish the run; shows what would happen first"],
  ["x", "cancel the run; its branch stays"],
  ["d", "put away a run that is over"],
  ["c", "create a task: Tab to the next field, any key changes a choice, Enter creates"],
  ["y", "copy the run's id"],
  ["f", "show what is active, all, or what is done"],
  ["?", "this page"],
  ["q, Ctrl-C", "leave; runs go on"],
  ["", ""],
  [
    "",
    "Keys that do nothing now are dim, and say why when they are pressed. A key runs the command that you would type (accept, send-back ...), and shows its answer.",
  ],
  ["", ""],
  [
    "SESSION",
    "alive: a process of an agent lives. idle: an agent between two turns. dead: one has ended, the run has not. ?: not known. -: none was started",
  ],
  ["PHASE, GATE", "where in its schedule it is, and whether what it owes there is good"],
  ["ROUND", "reviews in this cycle, and how many there may be"],
  [
    "WORK",
    "commits that the base does not have, and lines added and removed, committed or not. ?: not known, or not yet",
  ],
  [
    "WAITS FOR",
    "you: something that takes a person. queued: as many agents of the project work as may. after X: the run X comes first. Otherwise the agent that is at work",
  ],
  ["AGENTS", "agents at work, and how many may work at the same time, for each project"],
];

const KEYS_WIDTH = 14;

export function helpLines({ columns }: Size): string[] {
  const width = Math.max(20, columns - KEYS_WIDTH);
  return HELP.flatMap(([keys, does]) => {
    if (keys === "") return does === "" ? [""] : wrapped(does, Math.max(20, columns));
    return wrapped(does, width).map((line, at) => `${(at === 0 ? keys : "").padEnd(KEYS_WIDTH)}${line}`);
  });
}
