/** What waits for a person: grouped, a line for each run, the reason, and the most likely commands; what is the same for several runs once. */

import { sayTyped } from "../../app/view/decision/choices.ts";
import { GROUPS } from "../../app/view/lists/inbox.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import type { DataOf } from "../../app/schemas.ts";
import type { InboxItem, InboxPark } from "../../app/view/inbox-view.ts";
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

export function sayInbox({ items, parks }: DataOf<"inbox">, how: InboxStyle): string {
  const parked = parks.map((park) => sayPark(park, how)).join("");
  if (items.length === 0) {
    const isYours = parks.some(({ until }) => until === "");
    return `${isYours ? "" : "Nothing waits for you.\n"}${parked}`;
  }
  const head = `${items.length} ${items.length === 1 ? "run waits" : "runs wait"} for you.\n`;
  const isSeveral = new Set(items.map(({ repo }) => repo)).size > 1;
  const groups = GROUPS.flatMap((group) => {
    const own = items.filter((item) => item.group === group);
    if (own.length === 0) return [];
    const title = how.paint.bold(`${TITLES[group]} (${own.length})`);
    const blocks = how.verbose ? own.map((item) => [item]) : alike(own);
    return [`\n${title}\n${blocks.map((block) => sayBlock(block, how, isSeveral)).join("")}`];
  });
  return `${head}${groups.join("")}${parked}`;
}

/** One entry for all runs that the park holds up. */
function sayPark({ harness, class: kind, sentence, runs, actions }: InboxPark, how: InboxStyle): string {
  const { paint, width } = how;
  const rows = runs.map(
    ({ run, summary }) => `  ${clip(firstLine(summary) || run, (width ?? WIDTH) - RUN_WIDTH)}  ${run}\n`,
  );
  return [
    `\n${paint.bold(`${harness === "" ? `Parked: ${kind}` : `${harness}: ${kind}`} (${runs.length})`)}\n`,
    ...rows,
    sayReason(sentence, how),
    sayActions({ run: runs[0]?.run ?? "", actions }, how),
  ].join("");
}

const RUN_WIDTH = 14;

/** Runs about which the same can be typed, in the order of the first of each. */
function alike(items: readonly InboxItem[]): readonly (readonly InboxItem[])[] {
  const blocks = new Map<string, InboxItem[]>();
  for (const item of items) {
    const key = JSON.stringify(sharedActions(item));
    blocks.set(key, [...(blocks.get(key) ?? []), item]);
  }
  return [...blocks.values()];
}

/** The same for every run: with RUN for its id. */
function sharedActions({ actions, run, branch }: InboxItem): InboxItem["actions"] {
  const said = (text: string): string => {
    const general = text.replaceAll(run, "RUN");
    return branch === "" ? general : general.replaceAll(branch, "its branch");
  };
  return actions.map(({ command, sentence, takes }) => ({
    command: command.replaceAll(run, "RUN"),
    sentence: said(sentence),
    ...(takes === undefined ? {} : { takes }),
  }));
}

/** Several runs that are alike have one line each, and their reason and commands once. */
function sayBlock(block: readonly InboxItem[], how: InboxStyle, isSeveral: boolean): string {
  const [first, ...others] = block;
  if (first === undefined) return "";
  const { reason } = first;
  const isSame = others.length > 0 && others.every((item) => item.reason === reason);
  const lines = block.map((item) => sayItem(item, how, { isSeveral, hasReason: !isSame }));
  return [
    ...lines,
    isSame ? sayReason(reason, how) : "",
    sayActions(others.length === 0 ? first : { run: "RUN", actions: sharedActions(first) }, how),
  ].join("");
}

function sayReason(reason: string, { width }: InboxStyle): string {
  return `${indented(wrapped(reason, width === undefined ? undefined : width - INDENT, 0))}\n`;
}

function sayActions({ run, actions: all }: Pick<InboxItem, "run" | "actions">, how: InboxStyle): string {
  const { paint, verbose, width } = how;
  const actions = verbose ? all : all.slice(0, COMMANDS);
  const more = all.length - actions.length;
  return [
    fitted(
      actions.map((action) => [`    ${sayTyped(action)}`, action.sentence]),
      width,
    ),
    ...(more > 0 ? [`    ${paint.dim(`${more} more: signalbox show ${run}`)}\n`] : []),
  ].join("");
}

function sayItem(
  item: InboxItem,
  how: InboxStyle,
  { isSeveral, hasReason }: { readonly isSeveral: boolean; readonly hasReason: boolean },
): string {
  const { paint, cwd, width, verbose } = how;
  const where = isSeveral ? `${item.project}${item.branch === "" ? "" : ` ${item.branch}`}, ` : "";
  const end = `  ${where}${paint[styleOf(item)](item.state)}, ${sayAge(item.since, how.now)}  ${item.run}`;
  const summary = firstLine(item.summary) || (item.name === item.run ? item.workflow : item.name);
  const title = clip(summary, Math.max(20, (width ?? WIDTH) - widthOf(end) - 2));
  const asked = item.decision?.asked ?? [];
  const shown = verbose ? asked : asked.slice(0, ASKED);
  const reads = verbose
    ? [...sayReads(item.decision?.reads ?? [], cwd), ...(item.decision?.parts ?? [])]
    : [];
  const reason =
    verbose && item.question !== null ? `${item.question.id}: ${item.question.question}` : item.reason;
  return [
    `  ${paint.bold(title)}${end}\n`,
    hasReason ? sayReason(reason, how) : "",
    ...sayCause(shown, width).map((line) => `  ${line}`),
    ...reads.map((line) => `    ${line}\n`),
  ].join("");
}

const INDENT = 4;

function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `${" ".repeat(INDENT)}${line}`.trimEnd())
    .join("\n");
}
