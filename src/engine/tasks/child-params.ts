/** What the run of a task is started with: what its workflow declares, of what is known of the task, and what `with` says. */

import type { Children, TakenFrom } from "../../core/model/artifact.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { valueIn } from "../../core/model/field.ts";
import type { GraphTask, TaskKeys } from "../../core/tasks/graph.ts";
import { sayTaken, takes } from "../../core/model/param.ts";
import type { Run } from "../../core/model/run.ts";
import { isGood, standingOf, valueOf } from "../../core/gates/artifact-status.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Listed } from "../ports/files.ts";
import type { ChildRow } from "../ports/graphs.ts";
import { needsPerson } from "../supervise/later.ts";

type Given = {
  /** Of the parent. */
  readonly workflow: Workflow;
  readonly run: Run;
  readonly reader: Children;
  readonly task: Listed;
  /** Where the list is. */
  readonly plan: string;
  readonly earlier: readonly string[];
};

/** Parameters that say what is known of a task, where its workflow declares them. */
export const FILLED = ["task", "goal", "files", "plan", "complexity", "parent", "earlier"] as const;

export function paramsOf(child: Workflow, given: Given): ChildRow["params"] {
  const { run, reader, task, plan, earlier } = given;
  const known: Record<(typeof FILLED)[number], Literal> = {
    task: task.id,
    goal: task.title,
    files: task.files.join("\n"),
    plan,
    complexity: task.complexity ?? HARDER,
    parent: run.id,
    earlier: earlier.join("\n"),
  };
  const said = Object.keys(reader.with).flatMap((name): [string, Literal][] => {
    const value = valueFor(child, given, name);
    return value === undefined ? [] : [[name, value]];
  });
  const all = { ...known, ...Object.fromEntries(said) };
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => child.definition.params[name] !== undefined),
  );
}

/** Where nobody has said how hard a task is. */
const HARDER = "medium";

function isScored(run: Run, { scored = true }: Children): boolean {
  return valueOf(run, scored) === true;
}

function valueFor(child: Workflow, given: Given, name: string): Literal | undefined {
  const { run, reader, task } = given;
  const value = reader.with[name] ?? "";
  if (typeof value !== "object" || "param" in value) return valueOf(run, value);
  if ("from" in value) return takenFor(child, given, { name, value });
  const complexity: NonNullable<GraphTask["complexity"]> = task.complexity ?? HARDER;
  return valueOf(run, value[isScored(run, reader) ? complexity : HARDER]);
}

/** Undefined where nobody has said anything. What does not fit is for whoever wrote it to put right. */
function takenFor(
  { definition }: Workflow,
  given: Given,
  { name, value }: { readonly name: string; readonly value: TakenFrom },
): Literal | undefined {
  if (isAnyOf(value.or, given.task)) return true;
  const said = saidIn(value, given);
  const param = definition.params[name];
  if (said === undefined || param === undefined) return undefined;
  if (typeof said !== "object" && takes(param, said)) return said;
  const { from } = value;
  const who =
    "task" in from ? `task ${given.task.id} says ${from.task}:` : `${from.artifact}.${from.field} is`;
  const message = `no task is begun: ${who} ${JSON.stringify(said)}, and ${name} of ${definition.name} is ${sayTaken(param)}`;
  const file = "task" in from ? given.plan : from.artifact;
  throw needsPerson(message, `put ${file} right, then signalbox resume ${given.run.id}`);
}

function isAnyOf(or: TakenFrom["or"] = {}, { keys = {} }: Listed): boolean {
  return Object.entries(or).some(([key, values]) => {
    const said = keys[key];
    return values.some((value) => said === value || (Array.isArray(said) && said.includes(value)));
  });
}

/** An artifact that is not good any more has said nothing. */
function saidIn({ from }: TakenFrom, { workflow, run, task }: Given): TaskKeys[string] | undefined {
  if ("task" in from) return task.keys?.[from.task];
  if (!isGood(standingOf(workflow, run, from.artifact))) return undefined;
  const reader = workflow.definition.artifacts[from.artifact]?.reader;
  return valueIn(reader, run.held[from.artifact]?.reading, from.field);
}
