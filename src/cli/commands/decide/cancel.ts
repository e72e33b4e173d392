/** `signalbox cancel`: ends a run early. At a terminal it asks first if the run has a workspace. */

import { setTimeout as pause } from "node:timers/promises";
import { missingOnBranch } from "../../../app/act/missing-on-branch.ts";
import { call } from "../../../app/client.ts";
import { acting, runOf, type Acting } from "../../../app/context.ts";
import { UserError } from "../../../app/failure.ts";
import type { Invocation } from "../../../app/invocation.ts";
import { requireKept } from "../../../app/runs/load.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { harmless } from "../../paint.ts";

/** The release usually takes less than a second; an agent that does not end at once may take longer. */
const RELEASE_MS = 3000;
const POLL_MS = 50;

export const command: Command = {
  usage: "[RUN] [--yes] [--note TEXT] [--key KEY]",
  about:
    "Ends a run early: its agents are stopped, its work stays on its branch, and files that git does not hold are kept (signalbox salvage).\nAsks first at a terminal if the run has a workspace. Only people can do this. In a workspace, RUN may be left out.",
  words: { min: 0, max: 1 },
  options: {
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice cancels once, and gives the same answer" },
    yes: { about: "do not ask", short: "y" },
  },
  examples: ["signalbox cancel k3d9", "signalbox cancel k3d9 --yes"],
  answer: async ({ words: [word], options: { note, key, yes } }, door): Promise<Answer> => {
    const { run, isBound, missing } = await acting(door, (on) => lookAt(on, word));
    if (isBound && yes === undefined && !(await isConfirmed(`Cancel ${run}? Its work stays on its branch.`)))
      throw new UserError("not-confirmed", `${run} is as it was`, `signalbox cancel ${run} --yes`);
    const answer = answerOf(await call(door, "cancel", { run, note, key }));
    if (!isBound) return answer;
    const work = { missing, isReleased: await isReleased(door, run) };
    return { ...answer, talk: `  ${sayWork(run, work)}\n${answer.talk ?? ""}` };
  },
};

type Looked = { readonly run: string; readonly isBound: boolean; readonly missing: string };

async function lookAt(on: Acting, word: string | undefined): Promise<Looked> {
  const run = await runOf(on, word);
  const workspace = await on.box.store.workspace(run);
  const isBound = workspace?.status === "bound" && workspace.path !== workspace.repo;
  return { run, isBound, missing: isBound ? await missingOnBranch(on, await requireKept(on, run)) : "" };
}

/** A question at the terminal that takes a yes. True where no person can be asked: programs mean what they call. */
async function isConfirmed(question: string): Promise<boolean> {
  const { isatty } = process.getBuiltinModule("node:tty");
  if (!isatty(0) || !isatty(2)) return true;
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${harmless(question)} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** The release commits the work to the branch: waits for it, for a moment. */
async function isReleased(door: Invocation, run: string): Promise<boolean> {
  const isBound = (): Promise<boolean> =>
    acting(door, async (on) => (await on.box.store.workspace(run))?.status === "bound");
  const endsAt = performance.now() + RELEASE_MS;
  while (await isBound()) {
    if (performance.now() > endsAt) return false;
    await pause(POLL_MS);
  }
  return true;
}

function sayWork(run: string, work: { readonly missing: string; readonly isReleased: boolean }): string {
  const kept = `signalbox salvage show ${run}`;
  if (work.missing !== "")
    return `its branch lacks a part of its work, and all of it is kept: ${kept}\n  the reason: ${work.missing}`;
  const branch = work.isReleased
    ? "its branch has all of its work"
    : "its branch will have all of its work when its agents have stopped";
  return `${branch}; files that git does not hold are kept: ${kept}`;
}
