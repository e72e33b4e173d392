/** A run on one screen. */

import type { ShowData } from "../commands/show.ts";
import { sayLine } from "./chronicle.ts";
import type { Paint } from "../paint.ts";
import { columns, firstLine, paintStatus, sayAge, sayStatus, sayTime } from "../say.ts";
import { sayAgent } from "./truth.ts";
import type { QuestionView } from "./ways.ts";

type How = { readonly verbose: boolean; readonly paint: Paint; readonly now: number };

export function sayRun(data: ShowData, how: How): string {
  const { paint, now } = how;
  const title = data.title === "" ? "" : ` (${data.title})`;
  const head = [
    [paint.bold(data.run), `${data.workflow}: ${firstLine(data.goal)}`],
    [
      "state",
      `${paint.cyan(data.state)}${title}, ${paintStatus(sayStatus(data), paint)}, for ${sayAge(data.updatedAt, now)}`,
    ],
    ...(data.attention === "" ? [] : [["attention", paint.red(data.attention)]]),
    ...(data.halted ? [["halted", "nothing is done for it until it is resumed"]] : []),
    ["waits for", data.waitsFor],
    ...(data.counters.length === 0
      ? []
      : [["counters", data.counters.map(({ name, value, max }) => `${name} ${value} of ${max}`).join(", ")]]),
    ...(how.verbose ? verboseRows(data) : []),
    ...workspaceRows(data),
  ];
  return [
    columns(head),
    ...(data.question === null ? [] : [sayQuestion(data.question, paint)]),
    section("Artifacts", artifactRows(data, paint), paint),
    section("Agents", agentRows(data, now), paint),
    section(
      "Still to be done",
      data.deeds.map((deed) => [deed.type, deed.status, deed.note]),
      paint,
    ),
    section(
      "Notes",
      data.notes.map(({ at, kind, text }) => [sayTime(at), kind, text]),
      paint,
    ),
    section(
      "Last events",
      data.history.map((line) => [sayTime(line.at), sayLine(line)]),
      paint,
    ),
  ].join("");
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

function workspaceRows({ workspace }: ShowData): string[][] {
  if (workspace === null) return [];
  const { path, branch, status, salvage, kept } = workspace;
  return [
    ["workspace", status === "bound" ? path : "given back"],
    ["branch", branch],
    ...(salvage === "" ? [] : [["salvaged", `${salvage} (git show ${salvage})`]]),
    ...(kept === "" ? [] : [["kept files", kept]]),
  ];
}

function sayQuestion({ id, question, shows, options, repeats }: QuestionView, paint: Paint): string {
  const again = repeats > 0 ? `, asked ${repeats + 1} times` : "";
  const about = shows.length === 0 ? "" : `It is about ${shows.join(", ")}.`;
  const rows = options.map(({ label, command, text }) => [
    `  ${command}${text === "optional" ? " [--text TEXT]" : ""}`,
    label,
  ]);
  return `\n${paint.yellow(`${id}${again}:`)} ${question}\n${about === "" ? "" : `  ${about}\n`}${columns(rows)}`;
}

function artifactRows({ artifacts }: ShowData, paint: Paint): string[][] {
  return artifacts.map(({ artifact, standing, reason, good, at }) => {
    const place = at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`;
    return [artifact, good ? paint.green(standing) : standing, `${reason}${place}`];
  });
}

function agentRows({ agents, checks }: ShowData, now: number): string[][] {
  return [
    ...agents.map((agent) => [
      agent.slot === "" ? agent.role : `${agent.role}/${agent.slot}`,
      `attempt ${agent.attempt}`,
      sayAgent(agent, now),
    ]),
    ...checks.map(({ artifact, process, pid }) => [
      `check ${artifact}`,
      "",
      pid === null ? process : `${process} (pid ${pid})`,
    ]),
  ];
}

function section(title: string, rows: readonly (readonly string[])[], paint: Paint): string {
  if (rows.length === 0) return "";
  return `\n${paint.bold(title)}\n${columns(rows.map((row) => [`  ${row[0] ?? ""}`, ...row.slice(1)]))}`;
}
