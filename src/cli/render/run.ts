/** A run on one screen: what it is, what it waits for, what it did and what you can type. */

import { sayTyped } from "../../app/view/decision/choices.ts";
import { isUnasked } from "../../app/view/work/artifacts.ts";
import { sayAgent } from "../../app/view/status/processes.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import type { FindingView, RunView } from "../../app/view/run-view.ts";
import { sayTasks } from "../../app/view/work/tasks.ts";
import { sayStory } from "../../app/story/sentences.ts";
import { firstLine, sayAge, sayTime, toYou } from "../../app/view/words.ts";
import { fitted, wrapped } from "../fit.ts";
import type { Paint } from "../paint.ts";
import { sayPhase } from "./schedule.ts";
import { clip, styleOf, widthOf } from "./table.ts";

type ScreenStyle = {
  readonly verbose: boolean;
  readonly paint: Paint;
  readonly now: number;
  readonly cwd: string;
  /** ScreenStyle wide the terminal is; undefined where there is none. */
  readonly width: number | undefined;
};

const FINDINGS = 3;
const FINDINGS_COMPACT = 2;
const FINDINGS_VERBOSE = 40;
const LINES = 3;
/** What stands left of a line of the story, besides its time. */
const MARGIN = 4;
const ROOM_MIN = 20;

/** In the user's words; what it is called in commands is never cut off. */
function sayName({ summary, name, workflow, run }: RunView, { paint, width }: ScreenStyle): string {
  const id = `  (${workflow} ${run})`;
  const said = firstLine(summary) || (name === run ? workflow : name);
  const shown = width === undefined ? said : clip(said, Math.max(ROOM_MIN, width - id.length));
  return `${paint.bold(shown)}${paint.dim(id)}\n`;
}

export function sayRun(view: RunView, how: ScreenStyle): string {
  const { paint } = how;
  const places = isCompact(how) ? placeRows(view) : workspaceRows(view);
  const verbose = how.verbose ? [...verboseRows(view), ...places] : places;
  const head = [
    ["state", sayState(view, how)],
    [view.waits.kind === "over" ? "result" : "now", paint[styleOf(view)](view.waits.sentence)],
    ...view.findings.flatMap((finding) => findingRows(finding, how)),
    ...workRows(view),
    ...counterRows(view, how),
    ...usedRows(view, how),
    ...verbose,
    ...view.left.map(([what, said]) => [what, said]),
  ];
  const screen = [
    sayName(view, how),
    fitted(head, how.width),
    sayAsked(view, how),
    sayDecision(view, how),
    section(
      "Schedule",
      view.schedule.flatMap((entry) => sayPhase(entry, how)),
      how,
    ),
    section("Artifacts", artifactRows(view, how), how),
    section("Agents", agentRows(view, how), how),
    ...sayTasks(view.children, { run: view.run, ...how }).map(({ title, rows }) => section(title, rows, how)),
    section(
      "To be done",
      view.pending.map(({ type, status, note }) => [type.replaceAll("-", " "), status, note]),
      how,
    ),
    section(
      "Notes",
      view.notes.map(({ at, kind, text }) => [sayTime(at), kind, text]),
      how,
    ),
  ].join("");
  return `${screen}${sayHistory(view, how, screen.split("\n").length)}`;
}

/** On a terminal, a run fits a screen of 24 lines: what needs nobody is left to `--verbose`. */
const HEIGHT = 24;

function isCompact({ verbose, width }: ScreenStyle): boolean {
  return !verbose && width !== undefined;
}

function sayState(view: RunView, { paint, now }: ScreenStyle): string {
  const { state, title, status, since, updatedAt, phase } = view;
  const named = paint[styleOf(view)](state);
  if (status !== "running" && status !== "waiting") return `${named}, ${sayAge(updatedAt, now)} ago`;
  const more = view.waits.sentence.startsWith(toYou(title)) || title === "" ? "" : ` (${title})`;
  const where = phase === "" || phase === state ? "" : `, phase ${phase}`;
  return `${named}${more}${where}, for ${sayAge(since, now)}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  pass: "passed",
  pass_with_notes: "passed with notes",
  needs_fix: "changes requested",
  needs_human: "left to you",
  reject: "rejected",
};

/** What a reviewer said, in its own words. */
function findingRows({ artifact, verdict, earlier, text, by }: FindingView, how: ScreenStyle): string[][] {
  const shown = text.slice(0, how.verbose ? FINDINGS_VERBOSE : isCompact(how) ? FINDINGS_COMPACT : FINDINGS);
  const more = text.length - shown.length;
  const rest = more === 0 ? [] : [["", `and ${more} more lines: --verbose`]];
  const said = VERDICTS[verdict] ?? verdict;
  const mark = earlier
    ? how.paint.dim(`earlier work: ${said}`)
    : verdict.startsWith("pass")
      ? how.paint.green(said)
      : how.paint.red(said);
  const [first = "", ...others] = shown;
  return [
    [artifact, `${mark} by ${by}${first === "" ? "" : `: ${first}`}`],
    ...others.map((line) => ["", line]),
    ...rest,
  ];
}

function workRows({ work }: RunView): string[][] {
  if (work === null) return [];
  const { files, added, removed, diff } = work;
  return [["work", `${files} ${files === 1 ? "file" : "files"}, +${added} -${removed}: ${diff}`]];
}

function verboseRows(view: RunView): string[][] {
  const params = Object.entries(view.params).map(([name, value]) => `${name} ${String(value)}`);
  return [
    ["started", sayTime(view.startedAt)],
    ["project", view.project],
    ["repository", view.repo],
    ["from", view.base],
    ...(params.length === 0 ? [] : [["parameters", params.join(", ")]]),
    ["definition", view.definition],
    ["events", String(view.seq)],
  ];
}

/** Where the work is, in short: the row of the work names the branch. */
function placeRows(view: RunView): string[][] {
  const rows = workspaceRows(view);
  return view.work === null ? rows : rows.filter(([name]) => name !== "branch");
}

function workspaceRows({ run, workspace }: RunView): string[][] {
  if (workspace === null) return [];
  const { path, branch, status, salvage, kept, inPlace } = workspace;
  if (inPlace)
    return [["workspace", status === "released" ? "in place, when it goes on" : `in place: ${path}`]];
  return [
    ["workspace", status === "bound" ? path : "released"],
    ...(branch === "" ? [] : [["branch", branch]]),
    ...(salvage === "" && kept === "" ? [] : [["kept", `signalbox salvage show ${run}`]]),
  ];
}

/** What led to the question, or what an agent wants to know. */
function sayAsked({ decision, question }: RunView, { paint, width, verbose }: ScreenStyle): string {
  const asked = [...(decision?.asked ?? []), ...(verbose ? (decision?.aside ?? []) : [])];
  if (asked.length === 0) return "";
  const lines = asked.map((line) => `${wrapped(`  ${line}`, width)}\n`);
  return `\n${paint.bold(question === null ? "It asks" : "Why it asks")}\n${lines.join("")}`;
}

function sayDecision(view: RunView, how: ScreenStyle): string {
  const { question, decision } = view;
  const typed = sayActions(view, how);
  if (question === null || decision === null)
    return typed === "" ? "" : `\n${how.paint.bold("You can type")}\n${typed}`;
  const { id, shows, shown, repeats } = question;
  const again = repeats > 0 ? `, asked ${repeats + 1} times` : "";
  const about = shows.length === 0 ? [] : [`it is about ${shows.join(", ")}, shown as ${shown}`];
  const lines = [...about, ...sayReads(decision.reads, how.cwd), ...decision.parts].map(
    (line) => `  ${line}\n`,
  );
  const said = wrapped(`${how.paint.yellow(`${id}${again}:`)} ${decision.question}`, how.width);
  return `\n${said}\n${lines.join("")}${typed}`;
}

/** Verbs first; what they do not cover is one command away. */
function sayActions(
  { run, actions, others, closed }: RunView,
  { verbose, paint, width }: ScreenStyle,
): string {
  const rows = (list: RunView["actions"]): string =>
    fitted(
      list.map((action) => [`  ${sayTyped(action)}`, action.sentence]),
      width,
    );
  const shut = closed.map(
    ({ verb, reason }) => `${wrapped(`  ${paint.dim(`${verb}: not now,`)} ${reason}`, width)}\n`,
  );
  const more = others.length === 0 ? "" : `  ${paint.dim(`other moves: signalbox next ${run} --all`)}\n`;
  const below = verbose && others.length > 0 ? `${paint.bold("Other moves")}\n${rows(others)}` : more;
  return actions.length === 0 ? "" : `${rows(actions)}${shut.join("")}${below}`;
}

/** Those that have counted something; with `verbose` all. On a small screen the sentence above says what counts. */
function counterRows({ counters }: RunView, how: ScreenStyle): string[][] {
  if (isCompact(how)) return [];
  const shown = counters.filter(({ value }) => how.verbose || value !== 0);
  if (shown.length === 0) return [];
  return [["counters", shown.map(({ name, value, max }) => `${name} ${value} of ${max}`).join(", ")]];
}

/** Programs of which nothing is known are not worth a row. */
function usedRows({ used }: RunView, { verbose }: ScreenStyle): string[][] {
  return (used.input ?? 0) > 0 || (verbose && used.turns > 0) ? [["used", used.said]] : [];
}

function artifactRows({ artifacts, findings }: RunView, how: ScreenStyle): string[][] {
  const { paint, verbose } = how;
  // A review has a row of its own above.
  const isTold = ({ artifact, standing }: RunView["artifacts"][number]): boolean =>
    findings.some((finding) => finding.artifact === artifact && finding.verdict === standing);
  const isQuiet = ({ good, wanted, standing }: RunView["artifacts"][number]): boolean =>
    isCompact(how) && (good || (!wanted && standing !== "invalid"));
  const shown = artifacts.filter(
    (each) => verbose || each.edited === true || !(isUnasked(each) || isTold(each) || isQuiet(each)),
  );
  return shown.map(({ artifact, standing, used, reason, good, at }) => {
    const place = at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`;
    return [artifact, good ? paint.green(standing) : used ? "accepted" : standing, `${reason}${place}`];
  });
}

function agentRows({ run, agents, checks, attention, actions }: RunView, how: ScreenStyle): string[][] {
  const { now } = how;
  const isFailed = agents.some(({ status, exit }) => status === "crashed" || (exit !== null && exit !== 0));
  const log = `signalbox logs ${run}`;
  const isOffered = actions.some(({ command }) => command === log);
  const shown = isCompact(how)
    ? agents.filter(({ process, exit }) => process !== "idle" || exit !== 0)
    : agents;
  return [
    ...shown.map((agent) => [
      agent.slot === "" ? agent.role : `${agent.role}/${agent.slot}`,
      `attempt ${agent.attempt}`,
      agent.process === "not-started" && attention !== ""
        ? "not started: the run needs attention"
        : sayAgent(agent, now),
    ]),
    ...checks.map(({ artifact, process, pid }) => [
      `check ${artifact}`,
      "",
      pid === null ? process : `${process} (pid ${pid})`,
    ]),
    ...(isFailed && !isOffered ? [["log", "", log]] : []),
  ];
}

/** The last lines of the story, as many as the screen has room for; each on one line, unless all is wanted. */
function sayHistory(view: RunView, how: ScreenStyle, used: number): string {
  const most = isCompact(how) ? Math.min(LINES, HEIGHT - used - 2) : LINES;
  const all = sayStory(view.history);
  const lines = how.verbose ? all : all.slice(Math.max(0, all.length - Math.max(0, most)));
  const rows = lines.map(({ at, text }) => {
    const time = sayTime(at);
    const room = how.verbose || how.width === undefined ? text.length : how.width - widthOf(time) - MARGIN;
    return [time, clip(text, Math.max(room, ROOM_MIN))];
  });
  return section("What happened last", rows, how);
}

function section(title: string, rows: readonly (readonly string[])[], { paint, width }: ScreenStyle): string {
  if (rows.length === 0) return "";
  const inner = rows.map((row) => [`  ${row[0] ?? ""}`, ...row.slice(1)]);
  return `\n${paint.bold(title)}\n${fitted(inner, width)}`;
}
