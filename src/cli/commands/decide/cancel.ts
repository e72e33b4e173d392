/** `signalbox cancel`: ends a run early. At a terminal it asks first if the run has a workspace. */

import { setTimeout as pause } from "node:timers/promises";
import { missingOnBranch } from "../../../app/act/artifact/missing-on-branch.ts";
import { call } from "../../../app/client.ts";
import { acting, runOf, type Acting } from "../../../app/context.ts";
import { UserError } from "../../../app/failure.ts";
import type { Invocation } from "../../../app/invocation.ts";
import { isFinished } from "../../../app/runs/find.ts";
import { requireKept } from "../../../app/runs/load.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { isConfirmed } from "../../confirm.ts";

/** The release usually takes less than a second; an agent that does not end at once may take longer. */
const RELEASE_MS = 3000;
const POLL_MS = 50;

export const command: Command = {
  usage: "[RUN] [--yes] [--note TEXT] [--key KEY]",
  about:
    "Ends a run early: its agents are stopped, its work stays on its branch, and files that git does not hold are kept (signalbox salvage).\nAsks first at a terminal if the run has a workspace. Only people can do this. In a workspace, RUN may be left out.",
  offers: "cancel",
  words: { min: 0, max: 1 },
  options: {
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice cancels once, and gives the same answer" },
    yes: { about: "do not ask", short: "y" },
  },
  examples: ["signalbox cancel k3d9", "signalbox cancel k3d9 --yes"],
  answer: async ({ words: [word], options: { note, key, yes } }, door): Promise<Answer> => {
    const { run, isBound, isOver, missing } = await acting(door, (on) => lookAt(on, word));
    const isAsked = isBound && !isOver && yes === undefined;
    if (isAsked && !(await isConfirmed(`Cancel ${run}? Its work stays on its branch.`)))
      throw new UserError("not-confirmed", `${run} is as it was`, `signalbox cancel ${run} --yes`);
    const answer = answerOf(await call(door, "cancel", { run, text: note, key }));
    if (!isBound) return answer;
    const work = { missing, release: await released(door, run) };
    return { ...answer, talk: `  ${sayWork(run, work)}\n${answer.talk ?? ""}` };
  },
};

type Looked = {
  readonly run: string;
  readonly isBound: boolean;
  /** It cannot be cancelled any more: that is said without a question. */
  readonly isOver: boolean;
  readonly missing: string;
};

async function lookAt(on: Acting, word: string | undefined): Promise<Looked> {
  const run = await runOf(on, word);
  const workspace = await on.box.store.workspace(run);
  const isBound = workspace?.status === "bound" && workspace.path !== workspace.repo;
  const kept = await requireKept(on, run);
  const missing = isBound ? await missingOnBranch(on, kept) : "";
  return { run, isBound, isOver: isFinished(kept.row), missing };
}

type Release = "later" | "all on the branch" | "files kept";

/** The release commits the work to the branch: waits for it, for a moment. */
async function released(door: Invocation, run: string): Promise<Release> {
  const look = (): Promise<Release> =>
    acting(door, async (on) => {
      const { status = "", kept = "" } = (await on.box.store.workspace(run)) ?? {};
      return status === "bound" ? "later" : kept === "" ? "all on the branch" : "files kept";
    });
  const endsAt = performance.now() + RELEASE_MS;
  let release = await look();
  while (release === "later" && performance.now() <= endsAt) {
    await pause(POLL_MS);
    release = await look();
  }
  return release;
}

function sayWork(run: string, work: { readonly missing: string; readonly release: Release }): string {
  const kept = `signalbox salvage show ${run}`;
  if (work.missing !== "")
    return `its branch lacks a part of its work, and all of it is kept: ${kept}\n  the reason: ${work.missing}`;
  switch (work.release) {
    case "later":
      return `its branch will have all of its work when its agents have stopped; files that git does not hold, if any: ${kept}`;
    case "all on the branch":
      return "its branch has all of its work";
    case "files kept":
      return `its branch has all of its work; files that git does not hold are kept: ${kept}`;
  }
}
