/** `signalbox task attach`: a person's terminal becomes a look into the terminals of a task. */

import { spawnSync } from "node:child_process";
import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { windowName } from "../../engine/agents/terminal-title.ts";
import { acting, type Acting } from "../../app/context.ts";
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../command.ts";
import { isFinished } from "../../app/runs/find.ts";
import { requireKept } from "../../app/runs/load.ts";
import { taskOf } from "../../app/runs/task.ts";
import { OF_PROJECT } from "./options.ts";

/** What `--json` gives. */
export type AttachData = { readonly run: string };

export const command: Command = {
  usage: "[TASK] [--role ROLE]",
  about:
    "Shows the terminals in which the agents of a task live, in this one. Ctrl-b d leaves; Ctrl-b n goes to the next window.\nWhat you type goes to the agent that you see. Only people can do this, and only at a terminal.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    role: { takes: "ROLE", about: "the window of this role; otherwise the one that was last looked at" },
  },
  examples: ["signalbox task attach k3d9", "signalbox task attach k3d9 --role reviewer"],
  answer: async ({ words: [word], options }, door): Promise<Answer> => {
    const { run, argv } = await acting(door, async (on) => {
      requirePerson(on.who);
      const id = taskOf(on, word, options["project"]);
      return { run: id, argv: await wayTo(on, id, options["role"]) };
    });
    const data: AttachData = { run };
    const message = `you have left the terminals of ${run}; its agents go on`;
    show(run, argv, door);
    return {
      exit: EXIT_OK,
      code: "ok",
      message,
      data: () => data,
      text: () => `${message}\n`,
      next: `signalbox show ${run}`,
    };
  },
};

/** What to start; a session is known by its id, whatever people call it. */
async function wayTo(on: Acting, run: string, role: string | undefined): Promise<readonly string[]> {
  const { home, door } = on;
  const { attachArgs } = await import("../../adapters/terminal/health.ts");
  const { hasTmux } = await import("../../adapters/terminal/tmux.ts");
  if (role !== undefined) requireRole(on, run, role);
  if (!hasTmux(door.env)) throw noTmux(run);
  const window = role === undefined ? undefined : windowOf(on, run, role);
  const argv = await attachArgs(
    { home, env: door.env },
    { run, ...(window === undefined ? {} : { window }) },
  );
  if (argv === undefined) throw noSession(on, run);
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw noTerminal(run, argv);
  return argv;
}

function requireRole({ box, ...on }: Acting, run: string, role: string): void {
  const { row } = requireKept({ box, ...on }, run);
  const roles = Object.keys(box.workflow(row.definition).definition.roles);
  if (roles.includes(role)) return;
  throw new UserError("unknown-role", `there is no role "${role}"; there are ${roles.join(", ")}`, {
    next: `signalbox show ${run}`,
    exit: EXIT_USAGE,
  });
}

/** As the engine called it when the last attempt was started. */
function windowOf({ box }: Acting, run: string, role: string): string | undefined {
  const kept = box.store.load(run);
  const last = box.store.agents({ run }).findLast((agent) => agent.role === role);
  if (kept === undefined || last === undefined) return undefined;
  const declared = box.workflow(kept.row.definition).definition.roles[role];
  return declared === undefined ? undefined : windowName(last, declared);
}

function noTmux(run: string): UserError {
  return new UserError(
    "no-terminals",
    "there is no tmux here that could be used: agents have no terminals, and write a log for each turn",
    { next: `signalbox logs ${run} (signalbox doctor tells about tmux)`, exit: EXIT_FAILED },
  );
}

function noSession(on: Acting, run: string): UserError {
  const { row, run: now } = requireKept(on, run);
  const crashed = Object.values(now.agents).find(({ status }) => status === "crashed");
  if (crashed !== undefined)
    return new UserError("no-session", `${crashed.role} of ${run} has crashed, and no terminal is left`, {
      next: `signalbox task respawn ${run}`,
      exit: EXIT_FAILED,
    });
  const why = isFinished(row) ? "it is over" : "none of its agents lives in one";
  return new UserError("no-session", `${run} has no terminal: ${why}`, {
    next: `signalbox logs ${run}`,
    exit: EXIT_FAILED,
  });
}

function noTerminal(run: string, argv: readonly string[]): UserError {
  return new UserError(
    "no-terminal",
    `this takes a terminal for both input and output; there it starts: ${argv.join(" ")}`,
    { next: `signalbox logs ${run}`, exit: EXIT_FAILED },
  );
}

/** Until the person leaves; nothing of ours is open meanwhile. */
function show(run: string, [program = "", ...rest]: readonly string[], { env, cwd }: Door): void {
  const { status, error } = spawnSync(program, rest, { stdio: "inherit", env, cwd });
  if (error === undefined && status === 0) return;
  throw new UserError("no-session", `the terminals of ${run} could not be shown, or were closed`, {
    next: `signalbox show ${run}`,
    exit: EXIT_FAILED,
  });
}
