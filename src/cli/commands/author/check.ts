/** `signalbox check`: shows that workflows end, or how they do not. */

import { call } from "../../../app/client.ts";
import { withClashes } from "../../../app/commands/clashes.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { COMMANDS } from "../../commands.ts";
import type { Paint } from "../../paint.ts";
import { countingOf } from "../../progress.ts";
import { sayWorst, thousands } from "../../worst.ts";

type Checked = DataOf<"check">["workflows"][number];
type CheckedPlace = Checked["notes"][number]["at"];

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
  async answer({ words: workflows }, door): Promise<Answer> {
    const counting = countingOf(door);
    const checks = await call({ ...door, progress: counting.tell }, "check", { workflows });
    const outcome = await withClashes(checks, door, await wordsOfSignalbox());
    counting.end();
    const { talk, ...answer } = answerOf(outcome, () =>
      outcome.data.workflows.map((checked) => show(checked, door.paint)).join(""),
    );
    return outcome.exit === EXIT_OK || talk === undefined ? answer : { ...answer, talk };
  },
};

/** Every command, with its options. */
async function wordsOfSignalbox(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const words = Object.entries(COMMANDS).map(async ([name, { load }]) => {
    const { command: loaded } = await load();
    return [name, new Set("parts" in loaded ? [] : Object.keys(loaded.options))] as const;
  });
  return new Map(await Promise.all(words));
}

function show({ name, problems, defects, notes, worst, nodes, edges }: Checked, paint: Paint): string {
  if (problems.length > 0) return problems.map((problem) => `${sayProblem(problem)}\n`).join("");
  if (defects.length > 0) return defects.map((defect) => showDefect(defect, paint)).join("");
  const size = `${thousands(nodes)} situations, ${thousands(edges)} steps looked at`;
  const said = notes.map(({ at, message }) => `${sayPlace(at)}: note: ${message}\n`);
  return `${paint.bold(name)}: ${paint.green("it ends.")} ${size}\n${sayWorst(worst, paint)}${said.join("")}`;
}

function sayPlace({ file, line, col }: CheckedPlace): string {
  return `${file}:${line}:${col}`;
}

function sayProblem({ at, message, suggestion }: Checked["problems"][number]): string {
  return `${sayPlace(at)}: ${message}${suggestion === undefined ? "" : ` (did you mean "${suggestion}"?)`}`;
}

function showDefect({ at, code, message, trace }: Checked["defects"][number], paint: Paint): string {
  const width = String(trace.length).length;
  const steps = trace.map((step, index) => `    ${String(index + 1).padStart(width)}. ${step}\n`);
  return `${sayPlace(at)}: ${paint.red(code)}: ${message}\n${steps.join("")}`;
}
