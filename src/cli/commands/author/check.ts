/** `signalbox check`: shows that workflows end, or how they do not. */

import { call } from "../../../app/client.ts";
import { withClashes } from "../../../app/commands/clashes.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { DataOf } from "../../../app/schemas.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { COMMANDS } from "../../commands.ts";
import { harmless, type Paint } from "../../paint.ts";
import { sayWorst, thousands } from "../../worst.ts";
import type { Talk } from "../../../app/invocation.ts";

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
    const outcome = await withClashes(checks, door, wordsOfSignalbox());
    counting.end();
    const { talk, ...answer } = answerOf(outcome, () =>
      outcome.data.workflows.map((checked) => show(checked, door)).join(""),
    );
    return outcome.exit === EXIT_OK || talk === undefined ? answer : { ...answer, talk };
  },
};

/** Every command, loaded only where its options are asked for. */
function wordsOfSignalbox(): ReadonlyMap<string, () => Promise<ReadonlySet<string>>> {
  return new Map(
    Object.entries(COMMANDS).map(([name, { load }]) => [
      name,
      async () => {
        const { command: loaded } = await load();
        return new Set("parts" in loaded ? [] : Object.keys(loaded.options));
      },
    ]),
  );
}

function show(checked: Checked, door: Door): string {
  const { name, problems, defects, notes, nodes, edges } = checked;
  const { paint } = door;
  if (problems.length > 0) return problems.map((problem) => `${sayProblem(problem)}\n`).join("");
  if (defects.length > 0) return defects.map((defect) => showDefect(defect, paint)).join("");
  const size = `${thousands(nodes)} situations, ${thousands(edges)} steps looked at`;
  const said = notes.map(({ at, message }) => `${sayPlace(at)}: note: ${message}\n`);
  return `${paint.bold(name)}: ${paint.green("it ends.")} ${size}\n${sayWorst(checked, door)}${said.join("")}`;
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

/**
 * What is said while a long command is at work, beside its result: on a terminal one line that goes on, and is gone at the end;
 * elsewhere a line for each thing that begins.
 */

type Progress = {
  /** This is being done now, instead of what was before it. */
  begin(what: string): void;
  /** Nothing is being done any more. */
  end(): void;
};

const TICK_MS = 1000;
const CLEAR = "\r\u001B[K";

function progressOf({ talk, env }: Pick<Door, "talk" | "env">): Progress {
  if (talk === undefined) return { begin: () => undefined, end: () => undefined };
  const columns = talk.columns();
  // Logs of a build server, and terminals that know no line, keep whatever was printed.
  if (columns === undefined || env["TERM"] === "dumb" || (env["CI"] ?? "") !== "")
    return { begin: (what) => talk.print(harmless(`  ${what}\n`)), end: () => undefined };
  return onOneLine(talk, columns);
}

/** For work that leaves no clock any time: it says itself how far it is. Nothing is said of work that is over at once. */
export function countingOf(
  door: Pick<Door, "talk" | "env">,
  // The first use of `performance` costs more than a small proof.
  now: () => number = () => process.uptime() * 1000,
): { readonly tell: (of: string, count: number) => void; readonly end: () => void } {
  const progress = progressOf(door);
  const isOnce = door.talk?.columns() === undefined;
  let toldAt = now();
  const told = new Set<string>();
  return {
    tell(of, count) {
      if (now() - toldAt < TICK_MS || (isOnce && told.has(of))) return;
      toldAt = now();
      told.add(of);
      progress.begin(`${of}: ${thousands(count)} situations so far`);
    },
    end: () => progress.end(),
  };
}

/** With how long it takes, so that people see that it is still at work. */
function onOneLine({ print }: Talk, columns: number): Progress {
  let timer: NodeJS.Timeout | undefined;
  // A line that is as wide as the terminal is broken by some.
  const draw = (text: string): void =>
    print(`${CLEAR}${harmless(`  ${text}`).slice(0, Math.max(1, columns - 1))}`);
  return {
    begin(what) {
      clearInterval(timer);
      const since = performance.now();
      draw(what);
      timer = setInterval(
        () => draw(`${what}, ${Math.round((performance.now() - since) / 1000)} s`),
        TICK_MS,
      );
    },
    end() {
      clearInterval(timer);
      if (timer !== undefined) print(CLEAR);
    },
  };
}
