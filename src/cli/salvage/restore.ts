/** `salvage restore ID [FOLDER]`: a person gets back everything that a run left, in a new folder. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { gitDirOf } from "../../adapters/git/locate.ts";
import type { On } from "../../adapters/git/own.ts";
import { restore as restoreInto } from "../../adapters/git/restore.ts";
import { lastLeft } from "../../adapters/git/salvaged.ts";
import { requirePerson, whoActs } from "../../adapters/person/who.ts";
import { requireHome, withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { salvageNamed } from "./find.ts";

export const command: Command = {
  usage: "ID [FOLDER]",
  about:
    "Restores everything that a run left, in a folder that does not exist yet: ./salvage-ID unless named. The files are as they were on the disk; the .git of the workspace, where it was kept, is in .salvage/git. No checkout, index or branch is touched, and it can be done again.\nOnly people can do this.",
  words: { min: 1, max: 2 },
  options: {},
  examples: ["signalbox salvage restore k3d9", "signalbox salvage restore k3d9 ../rescued"],
  answer: restore,
};

function restore(given: Given, door: Door): Promise<Answer> {
  const [word = "", named] = given.words;
  return withStore(door, async (store) => {
    const procs = door.procs === undefined ? {} : { procs: door.procs };
    requirePerson(whoActs({ env: door.env, store, ...procs }));
    const on: On = { home: requireHome(door), env: door.env };
    const { run, mirror, refs, kept } = await salvageNamed({ on, store, door }, word);
    const folder = resolve(door.cwd, named ?? `salvage-${run}`);
    const copied = await restoreInto(on, {
      folder,
      mirror,
      kept,
      left: lastLeft(refs),
      head: refs?.head ?? "",
    });
    const isInside = gitDirOf(door.cwd) !== undefined && folder.startsWith(`${door.cwd}/`);
    const message = `${copied.files} files of ${run} are in ${folder}`;
    const talk = [
      message,
      ...(existsSync(`${folder}/.salvage/git`)
        ? [`  the .git of its workspace: ${folder}/.salvage/git`]
        : []),
      ...copied.left.map((what) => `  left where it is: ${what}`),
      ...(isInside ? ["  it is in a working tree of git, which shows it as untracked"] : []),
      "",
    ];
    return {
      exit: EXIT_OK,
      code: "ok",
      message,
      data: () => ({ restored: { run, folder, files: copied.files, left: copied.left } }),
      text: () => `${folder}\n`,
      next: "",
      talk: talk.join("\n"),
    };
  });
}
