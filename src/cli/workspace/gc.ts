/**
 * `workspace gc`: gives back what nobody needs any more.
 *
 * Worktrees of runs that are over or unknown, and those that a pool has too many of. Everything in them is kept first, as always;
 * nothing is forced, and what cannot be given back is left as it is and told.
 */

import { isThere } from "../../adapters/git/locate.ts";
import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { giveBack } from "../../engine/workspace.ts";
import { acting, type Acting } from "../acting.ts";
import { isFinished } from "../box.ts";
import {
  EXIT_CONFLICT,
  EXIT_FAILED,
  EXIT_OK,
  type Answer,
  type Command,
  type Door,
  type Given,
} from "../command.ts";
import { repoMeant } from "../salvage/scope.ts";
import { wake } from "../wake.ts";
import { strangersOf, worktreesOf, type Worktree } from "./look.ts";

export const command: Command = {
  usage: "[--all | --project NAME]",
  about:
    "Gives back worktrees of runs that are over or unknown, and removes free ones that are more than the project wants: of the project that you are in, or of all. What is in them and on no branch is kept first: signalbox salvage list.\nOnly people can do this.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "of every project" },
    project: { takes: "NAME", about: "of this project" },
  },
  examples: ["signalbox workspace gc", "signalbox workspace gc --all"],
  answer: gc,
};

/** What `--json` gives for each that was given back. */
type Done = {
  readonly name: string;
  readonly path: string;
  readonly run: string;
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
    for (const worktree of worktreesOf({ home, store }, repo)) {
      const held = whyHeld(on, worktree);
      if (held !== undefined) left.push(...(held === "" ? [] : [`${worktree.name}: ${held}`]));
      else
        try {
          done.push(await free(on, worktree));
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          const next = error instanceof UserError ? ` Try: ${error.next}` : "";
          left.push(`${worktree.name}: ${error.message}${next}`);
        }
    }
    const strange = strangersOf({ home, store });
    await wake(on);
    const stays = strange.map((path) => `${path}: it belongs to nobody; look into it`);
    return answerOf({ done, left: [...left, ...stays], isWhole: left.length === 0 });
  });
}

/** Undefined where it can be given back; empty where it is in use, or waits for the next one. */
function whyHeld({ box: { store } }: Acting, worktree: Worktree): string | undefined {
  const { run, row, isDamaged, isSurplus, pool } = worktree;
  if (run === "") return isSurplus || pool?.isRetired === true ? undefined : "";
  if (isDamaged) return `nobody can tell whether ${run} is over; signalbox doctor --repair`;
  if (row !== undefined && !isFinished(row)) return "";
  if (store.jobs({ run, status: "live" }).length > 0) return `a process of ${run} still lives`;
  const isComing = store
    .deeds(run)
    .some(
      ({ deed, status }) => deed.type === "release-resource" && status !== "done" && status !== "attention",
    );
  return isComing ? `it is being given back: signalbox show ${run}` : undefined;
}

async function free(on: Acting, worktree: Worktree): Promise<Done> {
  const { name, path, run, row } = worktree;
  if (run === "") return removeFree(on, worktree);
  const { store } = on.box;
  const kept = row === undefined ? undefined : store.load(run);
  if (kept === undefined) return forget(on, worktree);
  const did = await giveBack(on.box, kept, await reused(on, worktree.repo));
  // What a person was asked to look at is over with that.
  store.retry(run);
  const after = store.workspace(run);
  return { name, path, run, did, salvage: after?.salvage ?? "", kept: after?.kept ?? "" };
}

/** Of a run that the journal does not know. */
async function forget({ box, door }: Acting, worktree: Worktree): Promise<Done> {
  const { name, path, run, repo, bound, pool, isSurplus } = worktree;
  const { store } = box;
  const isKept = pool !== undefined && !isSurplus;
  const stays = isKept ? { stays: { reuse: await reused({ box, door }, repo) } } : {};
  const left = await box.workspaces.release({ run, repo, path, keep: box.folders(run).kept, ...stays });
  const { salvage, kept } = left;
  if (bound !== undefined) store.putWorkspace({ ...bound, salvage, kept, status: "released" });
  if (pool !== undefined && left.stays === true) store.leavePool(run);
  else if (pool !== undefined) store.dropFromPool(pool);
  return { name, path, run, did: "given back: nobody knows its run", salvage, kept };
}

/**
 * Nobody has it, and the project has enough of them. It is in the pool until it is gone, so that whoever comes after somebody who died
 * over this finds it; nobody gets it meanwhile.
 */
export async function removeFree({ box }: Acting, { name, path, repo, pool }: Worktree): Promise<Done> {
  const { store } = box;
  const row = () => store.pool(repo).find((each) => each.name === name);
  if (!store.retire(name) && row() !== undefined)
    throw new UserError("workspace-taken", `somebody has ${name} by now.`, {
      next: "signalbox workspace list",
      exit: EXIT_CONFLICT,
    });
  const nobody = { name, path, run: "", did: "removed: the project has enough", salvage: "", kept: "" };
  const run = `pool-${name}`;
  const keep = box.folders(run).kept;
  // Who died may have left only what git knows of it.
  const isLeft = isThere(path) || pool?.isRetired === true;
  // Somebody else who removes it may have been faster, and the name somebody's again.
  const onlyIf = (): boolean => row()?.isRetired === true;
  const left = isLeft ? await box.workspaces.release({ run, repo, path, keep, onlyIf }) : nobody;
  store.dropFromPool({ name, run: "" });
  return { ...nobody, salvage: left.salvage, kept: left.kept };
}

/** What stays in a worktree for the next one. Where settings cannot be used, nothing does. */
async function reused({ box, door }: Pick<Acting, "box" | "door">, repo: string): Promise<readonly string[]> {
  const { readSettings } = await import("../../adapters/config/read.ts");
  try {
    return (await readSettings({ repo, env: door.env, store: box.store })).workspace.reuse;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [];
  }
}

type Gone = { readonly done: readonly Done[]; readonly left: readonly string[]; readonly isWhole: boolean };

function answerOf({ done, left, isWhole }: Gone): Answer {
  const isKept = done.some(({ salvage, kept }) => salvage !== "" || kept !== "");
  const message =
    done.length === 0
      ? "there was nothing to give back"
      : `gave back ${done.length} ${done.length === 1 ? "worktree" : "worktrees"}`;
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

function sayDone({ name, run, did, salvage, kept }: Done): string {
  return [`${name}${run === "" ? "" : ` of ${run}`}: ${did}`, salvage, kept]
    .filter((part) => part !== "")
    .join("; ");
}
