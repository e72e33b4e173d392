/** `signalbox check`: proves that workflows end, or shows how they do not. */

import { findWorkflow } from "../../../adapters/library/find.ts";
import { check, type Report } from "../../../core/check/check.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import type { Defect } from "../../../core/check/defect.ts";
import { NODES_MAX } from "../../../core/check/explore/explore.ts";
import { showProblem, type Problem } from "../../../format/problem.ts";
import { childWorkflows } from "../../../app/workflows/children.ts";
import { EXIT_GATE, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";
import type { Paint } from "../../paint.ts";
import { countingOf } from "../../progress.ts";
import { loadWorkflow, placeOf, shownPath, type Loaded } from "../../../app/workflows/load.ts";
import { sayWorst, thousands } from "../../worst.ts";

type Checked = { readonly loaded: Loaded; readonly report: Report | undefined };

export const command: Command = {
  usage: "WORKFLOW...",
  about:
    "Explores every situation that a workflow allows: every loop is bounded, and every run can end if people act. Otherwise it shows a shortest way to the problem.\nIt does not show that a person will act; a run that nobody can move is reported during the run.\nA WORKFLOW is a name, a folder with a workflow.yaml, or a file.",
  words: { min: 1, max: Number.POSITIVE_INFINITY },
  options: {},
  examples: [
    "signalbox check task",
    "signalbox check .signalbox/workflows/mine",
    "signalbox check --json task design-approval",
  ],
  async answer({ words }, door): Promise<Answer> {
    // A name that is wrong is found before the first proof is begun.
    const found = words.map((word) => findWorkflow(word, door));
    const loaded = await Promise.all(found.map((each) => loadWorkflow(each, door)));
    const all = await Promise.all(loaded.map((each) => checkOne(each, door)));
    const bad = all.filter((checked) => !isGood(checked));
    const message =
      bad.length === 0
        ? "every workflow ends"
        : `${bad.map((one) => one.loaded.name).join(", ")}: there are problems`;
    const next = nextAfter(words, bad.length === 0);
    return {
      exit: bad.length === 0 ? EXIT_OK : EXIT_GATE,
      code: bad.length === 0 ? "ok" : "invalid-workflow",
      message,
      data: () => ({ workflows: all.map(asData) }),
      text: () => all.map((checked) => show(checked, door.paint)).join(""),
      next,
      ...(bad.length === 0 ? {} : { talk: `  next: ${next}\n` }),
    };
  },
};

/** Only a workflow with children pays for the code that looks at them. */
async function misfitsOf(workflow: Workflow, door: Door): Promise<Defect[]> {
  const children = await childWorkflows(workflow, door);
  if (children.size === 0) return [];
  const { badChildren } = await import("../../../engine/tasks/child.ts");
  return badChildren(workflow, (name) => children.get(name));
}

async function checkOne(loaded: Loaded, door: Door): Promise<Checked> {
  if (!loaded.ok) return { loaded, report: undefined };
  const misfits = await misfitsOf(loaded.workflow, door);
  const counting = countingOf(door, (count) => `${loaded.name}: ${count} situations so far`);
  const report = check(loaded.workflow, NODES_MAX, (nodes) => counting.tell(nodes));
  counting.end();
  const near = <T extends Pick<Defect, "at">>(each: T): T => ({
    ...each,
    at: { ...each.at, file: shownPath(door, loaded.found, each.at.file) },
  });
  const defects = [...report.defects, ...misfits].map(near);
  return { loaded, report: { ...report, defects, notes: report.notes.map(near) } };
}

function isGood({ report }: Checked): boolean {
  return report !== undefined && report.defects.length === 0;
}

function nextAfter(words: readonly string[], good: boolean): string {
  return good
    ? `signalbox simulate ${words[0] ?? ""}`
    : `mend what is named, then: signalbox check ${words.join(" ")}`;
}

function asData({ loaded, report }: Checked): Record<string, unknown> {
  return {
    name: loaded.name,
    file: loaded.file,
    hash: loaded.ok ? loaded.workflow.hash() : "",
    ok: isGood({ loaded, report }),
    problems: loaded.ok ? [] : loaded.problems.map(problemData),
    defects: (report?.defects ?? []).map(({ code, message, at, trace }) => ({
      code,
      message,
      at: placeOf(at),
      trace,
    })),
    notes: (report?.notes ?? []).map(({ code, message, at }) => ({ code, message, at: placeOf(at) })),
    worst: report?.worst ?? {},
    nodes: report?.nodes ?? 0,
    edges: report?.edges ?? 0,
  };
}

function problemData(problem: Problem): Record<string, unknown> {
  const { code, message, suggestion } = problem;
  return { code, message, at: placeOf(problem), ...(suggestion === undefined ? {} : { suggestion }) };
}

function show({ loaded, report }: Checked, paint: Paint): string {
  if (!loaded.ok) return loaded.problems.map((problem) => `${showProblem(problem)}\n`).join("");
  if (report === undefined) return "";
  if (report.defects.length > 0) return report.defects.map((defect) => showDefect(defect, paint)).join("");
  const size = `${thousands(report.nodes)} situations, ${thousands(report.edges)} steps looked at`;
  const said = report.notes.map(({ at, message }) => `${at.file}:${at.line}:${at.col}: note: ${message}\n`);
  return `${paint.bold(loaded.name)}: ${paint.green("it ends.")} ${size}\n${sayWorst(loaded.workflow, report.worst, paint)}${said.join("")}`;
}

function showDefect({ at, code, message, trace }: Defect, paint: Paint): string {
  const width = String(trace.length).length;
  const steps = trace.map((step, index) => `    ${String(index + 1).padStart(width)}. ${step}\n`);
  return `${at.file}:${at.line}:${at.col}: ${paint.red(code)}: ${message}\n${steps.join("")}`;
}
