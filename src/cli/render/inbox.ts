/** What waits for a person: grouped, a line for each run, the reason, and the most likely commands. */

import { sayCommand } from "../../app/view/actions.ts";
import { GROUPS } from "../../app/view/lists/inbox.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import type { InboxItem } from "../../app/view/run-view.ts";
import { firstLine, sayAge } from "../../app/view/words.ts";
import { fitted, sayCause, wrapped } from "../fit.ts";
import type { Paint } from "../paint.ts";
import { clip, styleOf, widthOf } from "./table.ts";

type InboxStyle = {
  readonly paint: Paint;
  readonly cwd: string;
  readonly width?: number | undefined;
  readonly verbose: boolean;
  readonly now: number;
};

const TITLES: Readonly<Record<InboxItem["group"], string>> = {
  question: "Questions",
  review: "Reviews",
  stuck: "Stuck",
  other: "Others",
};
const COMMANDS = 2;
const ASKED = 6;
const WIDTH = 100;

export function sayInbox(items: readonly InboxItem[], how: InboxStyle): string {
  if (items.length === 0) return "Nothing waits for you.\n";
  const head = `${items.length} ${items.length === 1 ? "run waits" : "runs wait"} for you.\n`;
  const isSeveral = new Set(items.map(({ repo }) => repo)).size > 1;
  const groups = GROUPS.flatMap((group) => {
    const own = items.filter((item) => item.group === group);
    if (own.length === 0) return [];
    const title = how.paint.bold(`${TITLES[group]} (${own.length})`);
    return [`\n${title}\n${own.map((item) => sayItem(item, how, isSeveral)).join("")}`];
  });
  return `${head}${groups.join("")}`;
}

function sayItem(item: InboxItem, how: InboxStyle, isSeveral: boolean): string {
  const { paint, cwd, width, verbose } = how;
  const where = isSeveral ? `${item.project}${item.branch === "" ? "" : ` ${item.branch}`}, ` : "";
  const end = `  ${where}${paint[styleOf(item)](item.state)}, ${sayAge(item.since, how.now)}  ${item.run}`;
  const summary = firstLine(item.summary) || item.workflow;
  const title = clip(summary, Math.max(20, (width ?? WIDTH) - widthOf(end) - 2));
  const asked = item.decision?.asked ?? [];
  const shown = verbose ? asked : asked.slice(0, ASKED);
  const reads = verbose
    ? [...sayReads(item.decision?.reads ?? [], cwd), ...(item.decision?.parts ?? [])]
    : [];
  const actions = verbose ? item.actions : item.actions.slice(0, COMMANDS);
  const more = item.actions.length - actions.length;
  const reason =
    verbose && item.question !== null ? `${item.question.id}: ${item.question.question}` : item.reason;
  return [
    `  ${paint.bold(title)}${end}\n`,
    `${indented(wrapped(reason, width === undefined ? undefined : width - INDENT, 0))}\n`,
    ...sayCause(shown, width).map((line) => `  ${line}`),
    ...reads.map((line) => `    ${line}\n`),
    fitted(
      actions.map((action) => [`    ${sayCommand(action)}`, action.sentence]),
      width,
    ),
    ...(more > 0 ? [`    ${paint.dim(`${more} more: signalbox show ${item.run}`)}\n`] : []),
  ].join("");
}

const INDENT = 4;

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `${" ".repeat(INDENT)}${line}`.trimEnd())
    .join("\n");
}
