/** How to show the terminals in which the agents of a run live. */

import { UserError } from "../../adapters/user-error.ts";
import { windowName } from "../../engine/workspaces/terminal-title.ts";
import type { Acting } from "../context.ts";
import { EXIT_FAILED, EXIT_USAGE } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { isFinished } from "./find.ts";
import { requireKept } from "./load.ts";
import { taskOf } from "./task.ts";

/** The run, and the program to start with its arguments. */
export async function attachTo(
  on: Acting,
  { run: word, project, role }: InputOf<"attach">,
): Promise<Outcome<DataOf<"attach">>> {
  const run = await taskOf(on, word, project);
  return success(
    `you have left the terminals of ${run}; its agents go on`,
    { run, argv: [...(await wayTo(on, run, role))] },
    { next: `signalbox show ${run}` },
  );
}

/** What to start; a session is known by its id, whatever people call it. */
async function wayTo(on: Acting, run: string, role: string | undefined): Promise<readonly string[]> {
  const { home, door } = on;
  const { attachArgs } = await import("../../adapters/terminal/health.ts");
  const { hasTmux } = await import("../../adapters/terminal/tmux.ts");
  if (role !== undefined) await requireRole(on, run, role);
  if (!hasTmux(door.env)) throw noTmux(run);
  const window = role === undefined ? undefined : await windowOf(on, run, role);
  const argv = await attachArgs(
    { home, env: door.env },
    { run, ...(window === undefined ? {} : { window }) },
  );
  if (argv === undefined) throw await noSession(on, run);
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw noTerminal(run, argv);
  return argv;
}

async function requireRole({ box, ...on }: Acting, run: string, role: string): Promise<void> {
  const { row } = await requireKept({ box, ...on }, run);
  const roles = Object.keys((await box.workflow(row.definition)).definition.roles);
  if (roles.includes(role)) return;
  throw new UserError("unknown-role", `there is no role "${role}"; there are ${roles.join(", ")}`, {
    next: `signalbox show ${run}`,
    exit: EXIT_USAGE,
  });
}

/** As the engine called it when the last attempt was started. */
async function windowOf({ box }: Acting, run: string, role: string): Promise<string | undefined> {
  const kept = await box.store.load(run);
  const last = (await box.store.agents({ run })).findLast((agent) => agent.role === role);
  if (kept === undefined || last === undefined) return undefined;
  const declared = (await box.workflow(kept.row.definition)).definition.roles[role];
  return declared === undefined ? undefined : windowName(last, declared);
}

function noTmux(run: string): UserError {
  return new UserError(
    "no-terminals",
    "there is no tmux here that could be used: agents have no terminals, and write a log for each turn",
    { next: `signalbox logs ${run} (signalbox doctor tells about tmux)`, exit: EXIT_FAILED },
  );
}

async function noSession(on: Acting, run: string): Promise<UserError> {
  const { row, run: now } = await requireKept(on, run);
  const crashed = Object.values(now.agents).find(({ status }) => status === "crashed");
  if (crashed !== undefined)
    return new UserError("no-session", `${crashed.role} of ${run} has crashed, and no terminal is left`, {
      next: `signalbox respawn ${run}`,
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
