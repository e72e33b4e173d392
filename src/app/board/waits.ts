/** What a run waits for: in a word for a column, and in a sentence. */

import type { Tally } from "../../engine/ports/graphs.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { DeedRow } from "../../engine/ports/outbox.ts";
import type { AgentView } from "../view/status/processes.ts";
import type { Facts } from "./facts.ts";
import { isOver, type Waits } from "./row.ts";

/** What a run that has not begun waits for. */
export type Ahead = {
  readonly isQueued: boolean;
  /** Its place in its project's queue, from 1. */
  readonly place: number;
  /** Why no agent more may work; empty where one may. */
  readonly full: string;
  /** Why it did not go when it was its turn; empty where it was not refused. */
  readonly refused: string;
  /** What it depends on and is not done. */
  readonly depends: readonly { readonly run: string; readonly status: string; readonly state: string }[];
};

export type Live = {
  readonly row: RunRow;
  readonly attention: string;
  readonly agents: readonly AgentView[];
  /** What is still to be done in the world; asked for only where nothing else tells. */
  readonly deeds: () => readonly DeedRow[];
  readonly ahead: () => Ahead;
  /** Why no agent more of its project may work. */
  readonly full: () => string;
  /** Of a list that it waits for; undefined where it waits for none. */
  readonly tally: Tally | undefined;
};

export function waitsOf(facts: Facts | undefined, live: Live): Waits {
  const { row, attention } = live;
  if (row.status === "damaged" || facts === undefined)
    return { kind: "damaged", short: "you: damaged", long: attention || "its journal cannot be read" };
  if (attention !== "") return { kind: "attention", short: "you: trouble", long: attention };
  if (isOver(row)) return { kind: "nothing", short: "", long: "" };
  if (row.halted)
    return {
      kind: "halted",
      short: "you: halted",
      long: `a person has halted it: signalbox resume ${row.id}`,
    };
  const { question } = facts;
  if (question !== undefined)
    return {
      kind: "question",
      short: `you: ${question.id}`,
      long: `${question.id}: ${question.text} (signalbox answer ${row.id})`,
    };
  if (facts.isStranded)
    return {
      kind: "crashed",
      short: "you: crashed",
      long: `${facts.crashed}: a person has it started again`,
    };
  if (!facts.hasBegun) return beforeIt(live);
  return row.status === "waiting" ? decision(facts) : working(facts, live);
}

function beforeIt({ row, ahead }: Live): Waits {
  const { isQueued, place, full, refused, depends } = ahead();
  const broken = depends.find(({ status }) => isOver({ status }));
  if (broken !== undefined)
    return {
      kind: "decision",
      short: `you: ${broken.run}`,
      long: `it depends on ${broken.run}, which is ${broken.state}: signalbox why ${row.id}`,
    };
  const [first] = depends;
  if (first !== undefined) {
    const others = depends.length > 1 ? ` and ${depends.length - 1} more` : "";
    return {
      kind: "dependency",
      short: `after ${first.run}${depends.length > 1 ? "+" : ""}`,
      long: `it comes after ${first.run} (${first.state})${others}`,
    };
  }
  if (!isQueued) return { kind: "start", short: "start", long: "nobody has started it" };
  if (full === "" && refused !== "")
    return { kind: "decision", short: "you: start", long: `it ${refused}: signalbox why ${row.id}` };
  const where = place > 1 ? `; number ${place} in the queue` : "";
  return {
    kind: "queue",
    short: "queued",
    long: full === "" ? `it is about to be started${where}` : `queued: ${full}${where}`,
  };
}

function decision({ title, targets, seen }: Facts): Waits {
  const what = title === "" ? `it waits for a person in ${seen.run.state}` : title;
  const may = targets.length === 0 ? "" : `: ${targets.join(", ")}?`;
  return { kind: "decision", short: "you", long: `${what}${may}` };
}

function working({ smallest, awaited }: Facts, { agents, deeds, full, tally }: Live): Waits {
  const present = agents.filter(({ status }) => status !== "stopping");
  const busy = rolesOf(present.filter(({ process }) => process === "running" || process === "starting"));
  // Others may live beside those that the run waits for.
  const own = busy.filter((role) => awaited.includes(role));
  const roles = own.length > 0 ? own : busy;
  if (roles.length > 0)
    return {
      kind: "agent",
      short: roles.join(", "),
      long: `${roles.join(" and ")} ${roles.length > 1 ? "are" : "is"} at work`,
    };
  const open = deeds();
  if (open.some(({ isQueued }) => isQueued))
    return { kind: "queue", short: "queued", long: `queued: ${full()}` };
  const due = [
    ...new Set(
      open
        .filter(({ status }) => status === "pending" || status === "claimed")
        .map(
          ({ deed }) =>
            DEEDS[deed.type === "perform" ? deed.name : deed.type] ?? deed.type.replaceAll("-", " "),
        ),
    ),
  ];
  if (due.length > 0) return { kind: "engine", short: due[0] ?? "", long: `to be done: ${due.join(", ")}` };
  if (tally !== undefined) return onTasks(tally);
  const [idle] = rolesOf(present);
  if (idle !== undefined) return { kind: "agent", short: idle, long: `${idle}: ${smallest}` };
  return { kind: "engine", short: "supervisor", long: smallest };
}

/** Whoever of them waits for a person has a row of its own. */
function onTasks({ done, all, waiting }: Tally): Waits {
  const asking = waiting === 0 ? "" : `; ${waiting === 1 ? "one waits" : `${waiting} wait`} for a person`;
  return {
    kind: "dependency",
    short: `${done}/${all} tasks`,
    long: `${done} of ${all} tasks are done${asking}`,
  };
}

/** Deeds whose own names say nothing to people; those that a workflow performs by name, by that. */
const DEEDS: Readonly<Record<string, string>> = {
  "prepare-resource": "its workspace",
  "release-resource": "clearing away",
  commit: "its commit",
  "pull-request": "its pull request",
  tag: "its tag",
  notify: "telling people",
};

function rolesOf(agents: readonly AgentView[]): readonly string[] {
  return [...new Set(agents.map(({ role }) => role))];
}
