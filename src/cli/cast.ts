/** Several runs of a demo at once: each is followed, and at its gates one person is asked, one question after the other. */

import { createInterface } from "node:readline/promises";
import { call } from "../app/client.ts";
import { acting } from "../app/context.ts";
import { EXIT_OK, EXIT_WAITING } from "../app/exit-codes.ts";
import type { Emit } from "../app/outcome.ts";
import type { Door } from "./command.ts";
import { harmless, type Paint } from "./paint.ts";
import { follow, type Followed } from "../app/story/follow.ts";
import { taskTeller } from "../app/story/task-lines.ts";
import { wrapped as below } from "./fit.ts";
import { STAND_IN, typedAnywhere, type Gate, type Stage } from "../app/demo.ts";
import { UserError } from "../app/failure.ts";

export type Player = { readonly name: string; readonly run: string };
export type Ended = Player & { readonly end: Followed };

type On = {
  readonly stage: Stage;
  readonly door: Door;
  readonly emit: Emit;
  readonly signal: AbortSignal;
  readonly gates: Readonly<Record<string, Gate>>;
  /** Nobody is asked: everything is answered with yes. */
  readonly isStandIn: boolean;
};

export async function performAll(cast: readonly Player[], on: On): Promise<readonly Ended[]> {
  const floor = new Floor(on.emit);
  const width = Math.max(...cast.map(({ name }) => name.length));
  return Promise.all(
    cast.map(async (player) => {
      // Whoever is alone needs no name.
      const label = cast.length === 1 ? "" : `${player.name.padEnd(width)}  `;
      const emit: Emit = ({ text, data }) => {
        // Only programs are told.
        if (text === "") return floor.say({ text, data });
        const [first = "", ...more] = wrapped(text, (on.door.width ?? COLUMNS) - label.length).split("\n");
        const rest = more.map((line) => (line === "" ? "" : `${" ".repeat(label.length)}${line}`));
        floor.say({ text: [`${on.door.paint.cyan(label)}${first}`, ...rest].join("\n"), data });
      };
      return { ...player, end: await perform(player, { ...on, emit }, floor) };
    }),
  );
}

/** As wide as most terminals are at least. */
export const COLUMNS = 80;

/** Below the words of a line of a story, and not below its time of day. */
const HANGING = 10;

/** Commands are for copying, and stay whole. */
export function wrapped(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (/^\d\d:\d\d:\d\d {2}/.test(line) ? below(line, width, HANGING) : line))
    .join("\n");
}

async function perform({ run }: Player, on: On, floor: Floor): Promise<Followed> {
  const { door, emit, signal } = on;
  const tasks = taskTeller();
  for (let from = 0; ;) {
    const at = from;
    const end = await acting(door, (acts) => follow(acts, { run, from: at, emit, signal, tasks }));
    from = end.seq;
    const { asking } = end;
    const gate = end.code === "waiting-for-person" ? on.gates[asking.state] : undefined;
    if (end.exit !== EXIT_WAITING || gate === undefined) return end;
    if (!(await floor.ask(() => isAnswered(gate, asking.run, on)))) return end;
  }
}

/** Whether somebody said yes, and it was carried out. */
async function isAnswered(gate: Gate, run: string, { stage, door, emit, isStandIn }: On): Promise<boolean> {
  const { branch, decision } = await situationOf(stage, run);
  const filled = (text: string): string => text.replace("RUN", run).replace("BRANCH", branch);
  // In another terminal, where the folders of the demo are not known: what `show` proposes there works, too.
  const look = filled(gate.look).replace(/^signalbox /, `${typedAnywhere()} `);
  emit({
    text: `${door.paint.yellow(gate.question)}\nto look at it:\n  cd ${stage.repo} &&\n  ${exportOf(stage)} &&\n  ${look}\n`,
    data: { run, asks: gate.question },
  });
  if (isStandIn)
    emit({ text: `nobody is asked here. ${gate.says} yes\n`, data: { run, answer: "yes", by: "stand-in" } });
  const said = isStandIn ? "yes" : await askAtKeyboard(gate.says, door.paint);
  // Somebody may have typed in another terminal what `show` proposes there: then this answer would be to the next question.
  const isOpen = async (): Promise<boolean> => (await situationOf(stage, run)).decision === decision;
  const elsewhere = (): true => {
    emit({ text: "decided in another terminal\n", data: { run, answer: "", by: "another terminal" } });
    return true;
  };
  if (!(await isOpen())) return elsewhere();
  if (said === "no") return false;
  try {
    await typed(stage, gate.yes.map(filled));
    return true;
  } catch (error) {
    if (await isOpen()) throw error;
    return elsewhere();
  }
}

/** Has commands in another terminal act in the demo, with its key. */
export function exportOf({ home, env }: Stage): string {
  return `export SIGNALBOX_HOME=${home.root} XDG_CONFIG_HOME=${String(env["XDG_CONFIG_HOME"])}`;
}

type Situation = {
  readonly branch: string;
  /** What it waits for a person with, and since when. */
  readonly decision: string;
};

async function situationOf({ repo, env }: Stage, run: string): Promise<Situation> {
  const { data } = await call({ cwd: repo, home: "", env, procs: STAND_IN }, "show", { run });
  return { branch: data.workspace?.branch ?? "", decision: `${data.state} ${data.since}` };
}

/** While somebody is asked, the others wait with what they have to say. */
class Floor {
  readonly #emit: Emit;
  readonly #waiting: Parameters<Emit>[0][] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #isTaken = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  say(piece: Parameters<Emit>[0]): void {
    if (this.#isTaken && !("asks" in piece.data) && !("answer" in piece.data)) this.#waiting.push(piece);
    else this.#emit(piece);
  }

  ask(question: () => Promise<boolean>): Promise<boolean> {
    const asked = this.#turn.then(async () => {
      this.#isTaken = true;
      try {
        return await question();
      } finally {
        this.#isTaken = false;
        for (const piece of this.#waiting.splice(0)) this.#emit(piece);
      }
    });
    this.#turn = asked.catch(() => undefined);
    return asked;
  }
}

/** Exactly what a person would type, in this process. Gives what is printed. */
export async function typed({ repo, env }: Stage, argv: readonly string[]): Promise<string> {
  const { run } = await import("./run.ts");
  const { code, stdout, stderr } = await run(argv, { cwd: repo, env, procs: STAND_IN });
  if (code === EXIT_OK) return stdout;
  throw new UserError("demo-failed", `signalbox ${argv.join(" ")} ended with ${code}: ${stdout}${stderr}`, {
    next: "signalbox doctor",
    exit: code,
  });
}

type Said = "yes" | "no";

/** Anything but a clear yes is a no, after it was asked again. */
async function askAtKeyboard(question: string, paint: Paint): Promise<Said> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Whoever leaves has not said yes.
  const left = new Promise<string>((resolve) => void terminal.once("close", () => resolve("no")));
  try {
    for (let tries = 0; tries < 3; tries += 1) {
      const said = (
        await Promise.race([terminal.question(harmless(`${paint.bold(question)} [yes/no] `)), left])
      )
        .trim()
        .toLowerCase();
      if (said === "yes" || said === "y") return "yes";
      if (said === "no" || said === "n") return "no";
    }
    return "no";
  } finally {
    terminal.close();
  }
}

export function isSomebodyThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}
