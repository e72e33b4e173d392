/** Shows that workflows end, or how they do not. */

import { findWorkflow } from "../../adapters/library/find.ts";
import { UserError } from "../../adapters/user-error.ts";
import { check } from "../../core/check/check.ts";
import type { Defect } from "../../core/check/defect.ts";
import { NODES_MAX } from "../../core/check/explore/explore.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Problem } from "../../format/problem.ts";
import { EXIT_GATE, EXIT_OK } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { childWorkflows, loadWorkflow, placeOf, shownPath, type Loaded } from "./load.ts";

type CheckedWorkflow = DataOf<"check">["workflows"][number];

export async function checkWorkflows(
  door: Invocation,
  { workflows: wanted, situations = NODES_MAX }: InputOf<"check">,
): Promise<Outcome<DataOf<"check">>> {
  // A name that is wrong is found before the first proof is begun.
  const found = wanted.map((word) => findWorkflow(word, door));
  const loaded = await Promise.all(found.map((each) => loadWorkflow(each, door)));
  const workflows = await Promise.all(loaded.map((each) => checkOne(each, door, situations)));
  const bad = workflows.filter(({ ok }) => !ok);
  const isGood = bad.length === 0;
  return {
    exit: isGood ? EXIT_OK : EXIT_GATE,
    code: isGood ? "ok" : "invalid-workflow",
    message: isGood ? "every workflow ends" : `${bad.map(({ name }) => name).join(", ")}: there are problems`,
    data: { workflows },
    next: isGood
      ? `signalbox simulate ${wanted[0] ?? ""}`
      : `fix what is named, then: signalbox check ${wanted.join(" ")}`,
    notes: [],
  };
}

async function checkOne(loaded: Loaded, door: Invocation, situations: number): Promise<CheckedWorkflow> {
  const { name, file, found } = loaded;
  if (!loaded.ok) {
    const problems = loaded.problems.map(problemData);
    const nothing = { defects: [], notes: [], worst: {}, titles: {}, limits: [], nodes: 0, edges: 0 };
    return { name, file, hash: "", ok: false, problems, ...nothing };
  }
  const { workflow } = loaded;
  const misfits = await misfitsOf(workflow, door);
  const { defects, notes, worst, nodes, edges } = check(workflow, situations, (count) =>
    door.progress?.(name, count),
  );
  const all = [...defects, ...misfits];
  const near = (at: Defect["at"]): CheckedWorkflow["notes"][number]["at"] =>
    placeOf({ ...at, file: shownPath(door, found, at.file) });
  return {
    name,
    file,
    hash: workflow.hash(),
    ok: all.length === 0,
    problems: [],
    defects: all.map(({ code, message, at, trace }) => ({ code, message, at: near(at), trace })),
    notes: notes.map(({ code, message, at }) => ({ code, message, at: near(at) })),
    worst: inOrder(workflow, worst),
    titles: titlesOf(workflow),
    limits: limitsOf(workflow),
    nodes,
    edges,
  };
}

/** Only a workflow with children pays for the code that looks at them. */
async function misfitsOf(workflow: Workflow, door: Invocation): Promise<readonly Defect[]> {
  const children = await childWorkflows(workflow, door);
  if (children.size === 0) return [];
  const { badChildren } = await import("../../engine/tasks/child.ts");
  return badChildren(workflow, (name) => children.get(name));
}

/** A counter of a phase is named after the number of the phase: `3.2.tries`. */
function titlesOf({ definition: { counters, states } }: Workflow): Record<string, string> {
  const named = Object.keys(counters).flatMap((counter) => {
    const at = counter.lastIndexOf(".");
    const [state, what] = [counter.slice(0, at), counter.slice(at + 1)];
    const title = at === -1 ? "" : (states[state]?.title ?? "");
    return title === "" ? [] : [[counter, `${what} in ${state} (${title})`] as const];
  });
  return Object.fromEntries(named);
}

function limitsOf({ definition: { counters } }: Workflow): string[] {
  const named = Object.values(counters).flatMap(({ max }) => (typeof max === "object" ? [max.param] : []));
  return [...new Set(named)];
}

/** Roles and counters as the definition lists them. */
function inOrder({ definition }: Workflow, worst: CheckedWorkflow["worst"]): CheckedWorkflow["worst"] {
  const keys = [
    ...Object.keys(definition.roles).map((role) => `start ${role}`),
    ...Object.keys(definition.counters).map((counter) => `counter ${counter}`),
  ];
  const known = keys.flatMap((key) => (worst[key] === undefined ? [] : [[key, worst[key]] as const]));
  return { ...Object.fromEntries(known), ...worst };
}

function problemData(problem: Problem): CheckedWorkflow["problems"][number] {
  const { code, message, suggestion } = problem;
  return { code, message, at: placeOf(problem), ...(suggestion === undefined ? {} : { suggestion }) };
}

/** Nothing is begun that could not end: a workflow is checked before its first run, once for each content. The package's own are checked by its tests. */
export async function requireClean(
  store: Pick<Store, "definition">,
  { workflow, name, isShipped }: Extract<Loaded, { ok: true }>,
  wanted: string,
): Promise<void> {
  if (isShipped === true) return;
  // Only what was proven is ever kept.
  if ((await store.definition(workflow.hash())) !== undefined) return;
  const { defects } = check(workflow);
  const [first] = defects;
  if (first === undefined) return;
  const more = defects.length > 1 ? ` (and ${defects.length - 1} more)` : "";
  throw new UserError("invalid-workflow", `${name}: ${first.message}${more}`, {
    next: `signalbox check ${wanted}`,
    exit: EXIT_GATE,
    at: { file: first.at.file, line: first.at.line, col: first.at.col },
  });
}
