/** A run on one screen. */

import type { ShowData } from "../commands/show.ts";
import { isUnasked } from "../../app/view/artifacts.ts";
import { sayLine } from "../../app/story/lines.ts";
import { fitted, wrapped } from "../fit.ts";
import type { Paint } from "../paint.ts";
import { firstLine, sayAge, sayStatus, sayTime } from "../../app/view/words.ts";
import { paintStatus } from "./table.ts";
import type { Left } from "../../app/view/kept-files.ts";
import { sayTyped } from "../../app/view/choices.ts";
import { choicesOf, sayParts, sayReads, type QuestionView } from "../../app/view/question.ts";
import { sayPhase } from "./schedule.ts";
import { sayTasks } from "../../app/view/tasks.ts";
import { sayAgent } from "../../app/view/processes.ts";

type How = {
  readonly verbose: boolean;
  readonly paint: Paint;
  readonly now: number;
  readonly cwd: string;
  /** How wide the terminal is; undefined where there is none. */
  readonly width: number | undefined;
  /** What it has left, in git and for people to read. */
  readonly left: Left["rows"];
};

export function sayRun(data: ShowData, how: How): string {
  const { paint, now } = how;
  const head = [
    [paint.bold(data.run), `${data.workflow}: ${firstLine(data.goal)}`],
    ...(data.phase === "" ? [] : [["phase", paint.cyan(data.phase)]]),
    ["state", sayState(data, how)],
    ...(data.attention === "" ? [] : [["attention", paint.red(data.attention)]]),
    ...(data.halted ? [["halted", "nothing is done for it until it is resumed"]] : []),
    ["waits for", data.waitsFor],
    ...counterRows(data, how),
    ...(how.verbose ? verboseRows(data) : []),
    ...workspaceRows(data),
    ...how.left,
  ];
  return [
    fitted(head, how.width),
    sayAsked(data, how),
    data.question === null
      ? section(
          "You can type",
          data.choices.map((choice) => [sayTyped(choice), choice.means]),
          how,
        )
      : sayQuestion(data.question, data.run, how),
    section(
      "Schedule",
      data.schedule.flatMap((entry) => sayPhase(entry, how)),
      how,
    ),
    section("Artifacts", artifactRows(data, how), how),
    section("Agents", agentRows(data, now), how),
    ...sayTasks(data.tasks, { run: data.run, ...how }).map(({ title, rows }) => section(title, rows, how)),
    section(
      "Still to be done",
      data.deeds.map((deed) => [deed.type, deed.status, deed.note]),
      how,
    ),
    section(
      "Notes",
      data.notes.map(({ at, kind, text }) => [sayTime(at), kind, text]),
      how,
    ),
    section(
      "Last events",
      data.history.map((line) => [sayTime(line.at), sayLine(line)]),
      how,
    ),
  ].join("");
}

/** What is over is as it ended, and when; a state that is called as it ended is said once. */
function sayState(data: ShowData, { paint, now }: How): string {
  const { state, title, status, updatedAt } = data;
  const named = `${paint.cyan(state)}${title === "" ? "" : ` (${title})`}`;
  const age = sayAge(updatedAt, now);
  const word = paintStatus(sayStatus(data), paint);
  if (status === "running" || status === "waiting") return `${named}, ${word}, for ${age}`;
  return `${state.toLowerCase() === status ? paintStatus(state, paint) : `${named}, ${word}`}, ${age} ago`;
}

function verboseRows(data: ShowData): string[][] {
  const params = Object.entries(data.params).map(([name, value]) => `${name} ${String(value)}`);
  return [
    ["started", sayTime(data.startedAt)],
    ["repository", data.repo],
    ["from", data.base],
    ...(params.length === 0 ? [] : [["parameters", params.join(", ")]]),
    ["definition", data.definition],
    ["events", String(data.seq)],
  ];
}

function workspaceRows({ run, workspace }: ShowData): string[][] {
  if (workspace === null) return [];
  const { path, branch, status, salvage, kept, inPlace } = workspace;
  if (inPlace)
    return [["workspace", status === "released" ? "in place, when it goes on" : `in place: ${path}`]];
  return [
    ["workspace", status === "bound" ? path : "released"],
    ["branch", branch],
    ...(salvage === "" && kept === "" ? [] : [["left", `signalbox salvage show ${run}`]]),
  ];
}

/** What led to the question, or what stands on its page for people to answer. */
function sayAsked({ question, asked }: ShowData, { paint, width }: How): string {
  if (asked === "") return "";
  const lines = asked.split("\n").map((line) => `${wrapped(`  ${line}`, width)}\n`);
  return `\n${paint.bold(question === null ? "It asks" : "Why it asks")}\n${lines.join("")}`;
}

function sayQuestion(asked: QuestionView, run: string, { paint, cwd, width }: How): string {
  const { id, question, shows, shown, reads, options, repeats } = asked;
  const again = repeats > 0 ? `, asked ${repeats + 1} times` : "";
  const about = shows.length === 0 ? [] : [`it is about ${shows.join(", ")}, shown as ${shown}`];
  const rows = choicesOf({ options }).map((choice) => [`  ${sayTyped(choice)}`, choice.means]);
  const lines = [...about, ...sayReads(reads, cwd), ...sayParts({ run, ...asked })].map(
    (line) => `  ${line}\n`,
  );
  const said = wrapped(`${paint.yellow(`${id}${again}:`)} ${question}`, width);
  return `\n${said}\n${lines.join("")}${fitted(rows, width)}`;
}

/** Those that have counted something; with `verbose` all. */
function counterRows({ counters }: ShowData, { verbose }: How): string[][] {
  const shown = counters.filter(({ value }) => verbose || value !== 0);
  if (shown.length === 0) return [];
  return [["counters", shown.map(({ name, value, max }) => `${name} ${value} of ${max}`).join(", ")]];
}

function artifactRows({ artifacts }: ShowData, { paint, verbose }: How): string[][] {
  const shown = artifacts.filter((artifact) => verbose || !isUnasked(artifact));
  return shown.map(({ artifact, standing, used, reason, good, at }) => {
    const place = at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`;
    return [artifact, good ? paint.green(standing) : used ? "used" : standing, `${reason}${place}`];
  });
}

function agentRows({ agents, checks, attention }: ShowData, now: number): string[][] {
  return [
    ...agents.map((agent) => [
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
  ];
}

function section(title: string, rows: readonly (readonly string[])[], { paint, width }: How): string {
  if (rows.length === 0) return "";
  const inner = rows.map((row) => [`  ${row[0] ?? ""}`, ...row.slice(1)]);
  return `\n${paint.bold(title)}\n${fitted(inner, width)}`;
}
