/**
 * `workspace gc`: releases the workspaces of runs that are over or unknown.
 *
 * Everything in them is kept first, as always; nothing is forced, and what cannot be released is left as it is and reported.
 */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { giveBack } from "../../engine/workspaces/workspace.ts";
import { acting, type Acting } from "../../app/context.ts";
import { isFinished } from "../../app/runs/find.ts";
import { EXIT_FAILED, EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { repoMeant } from "../salvage/scope.ts";
import { wake } from "../../app/runs/wake.ts";
import { strangersOf, workspacesOf, type Workspace } from "./look.ts";

export const command: Command = {
  usage: "[--all | --project NAME]",
  about:
    "Releases the workspaces of runs that are over or unknown: of the project that you are in, or of all. What is in them and on no branch is kept first: signalbox salvage list.\nOnly people can do this.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "of every project" },
    project: { takes: "NAME", about: "of this project" },
  },
  examples: ["signalbox workspace gc", "signalbox workspace gc --all"],
  answer: gc,
};

/** What `--json` gives for each that was released. */
type Done = {
  readonly run: string;
  readonly path: string;
  readonly did: string;
  readonly salvage: string;
  readonly kept: string;
};

function gc(given: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    requirePerson(on.who);
    const { home, box } = on;
    const { store } = box;
    const repo = repoMeant(store, given, door);
    const done: Done[] = [];
    const left: string[] = [];
    for (const workspace of workspacesOf({ home, store }, repo)) {
      const held = whyHeld(on, workspace);
      if (held !== undefined) left.push(...(held === "" ? [] : [`${workspace.run}: ${held}`]));
      else
        try {
          done.push(await release(on, workspace));
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          const next = error instanceof UserError ? ` Try: ${error.next}` : "";
          left.push(`${workspace.run}: ${error.message}${next}`);
        }
    }
    const strange = strangersOf({ home, store });
    await wake(on);
    const stays = strange.map((path) => `${path}: it belongs to no run; look into it`);
    return answerOf({ done, left: [...left, ...stays], isWhole: left.length === 0 });
  });
}

/** Undefined where it can be released; empty where its run is under way. */
function whyHeld({ box: { store } }: Acting, { run, row, isDamaged }: Workspace): string | undefined {
  if (isDamaged) return `nobody can tell whether ${run} is over; signalbox doctor --repair`;
  if (row !== undefined && !isFinished(row)) return "";
  if (store.jobs({ run, status: "live" }).length > 0) return `a process of ${run} still lives`;
  const isComing = store
    .deeds(run)
    .some(
      ({ deed, status }) => deed.type === "release-resource" && status !== "done" && status !== "attention",
    );
  return isComing ? `it is being released: signalbox show ${run}` : undefined;
}

async function release(on: Acting, { run, path, repo, row, own }: Workspace): Promise<Done> {
  const { box } = on;
  const { store } = box;
  const kept = row === undefined || own === undefined ? undefined : store.load(run);
  if (kept === undefined) {
    const { salvage, kept: files } = await box.workspaces.release({
      run,
      repo,
      path,
      keep: box.folders(run).kept,
    });
    if (own !== undefined) store.putWorkspace({ ...own, salvage, kept: files, status: "released" });
    const did =
      row === undefined ? "released: the journal does not know the run" : "released: it was left behind";
    return { run, path, did, salvage, kept: files };
  }
  const did = await giveBack(box, kept);
  // What a person was asked to look at is over with that.
  store.retry(run);
  const after = store.workspace(run);
  return { run, path, did, salvage: after?.salvage ?? "", kept: after?.kept ?? "" };
}

type Gone = { readonly done: readonly Done[]; readonly left: readonly string[]; readonly isWhole: boolean };

function answerOf({ done, left, isWhole }: Gone): Answer {
  const isKept = done.some(({ salvage, kept }) => salvage !== "" || kept !== "");
  const message =
    done.length === 0
      ? "there was nothing to release"
      : `released ${done.length} ${done.length === 1 ? "workspace" : "workspaces"}`;
  const next = isKept ? "signalbox salvage list" : "signalbox workspace list";
  return {
    exit: isWhole ? EXIT_OK : EXIT_FAILED,
    code: isWhole ? "ok" : "left",
    message,
    data: () => ({ done, left }),
    text: () => done.map((each) => `${sayDone(each)}\n`).join(""),
    next,
    talk: [`  ${message}`, ...left.map((each) => `  left: ${each}`), `  next: ${next}`, ""].join("\n"),
  };
}

function sayDone({ run, did, salvage, kept }: Done): string {
  return [`${run}: ${did}`, salvage, kept].filter((part) => part !== "").join("; ");
}
