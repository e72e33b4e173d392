/** `salvage restore ID [FOLDER]`: a person gets everything back, in a new folder or as a new branch. */

import { resolve } from "node:path";
import { failpoint } from "../../adapters/failpoint.ts";
import { failed, tryGit } from "../../adapters/git/call.ts";
import { gitDirOf } from "../../adapters/git/locate.ts";
import type { On } from "../../adapters/git/own.ts";
import { restore as restoreInto } from "../../adapters/git/restore.ts";
import { holdingOf, inCommon, type Holding } from "../../adapters/git/salvaged.ts";
import { requirePerson, whoActs } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { requireHome, withStore } from "../box.ts";
import { EXIT_CONFLICT, EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { aboutOf } from "./about.ts";
import type { Found } from "./find.ts";
import { salvageNamed } from "./one.ts";

const HELP = "signalbox salvage restore --help";

export const command: Command = {
  usage: "ID [FOLDER | --branch NAME]",
  about:
    "Gives back everything that was kept of a run, in a folder that does not exist yet: ./salvage-ID unless named. The files are as they were on the disk; what belongs to none of them is in .salvage. No checkout, index or branch is touched, and it can be done again.\nOnly people can do this.",
  words: { min: 1, max: 2 },
  options: {
    branch: { takes: "NAME", about: "make this new branch of what git holds of it, and no folder" },
  },
  examples: ["signalbox salvage restore k3d9 ../rescued", "signalbox salvage restore k3d9 --branch rescued"],
  answer: restore,
};

const NOTHING: Holding = { layers: [], commits: [], base: "", snapshots: [] };

function restore(given: Given, door: Door): Promise<Answer> {
  const [word = "", folder] = given.words;
  const { branch } = given.options;
  if (branch !== undefined && folder !== undefined)
    throw new UserError("bad-usage", "it is restored into a folder, or as a branch with --branch", HELP);
  return withStore(door, async (store) => {
    const procs = door.procs === undefined ? {} : { procs: door.procs };
    requirePerson(whoActs({ env: door.env, store, ...procs }));
    const on: On = { home: requireHome(door), env: door.env };
    const found = await salvageNamed({ on, store, door }, word);
    return branch === undefined
      ? asFolder({ on, found, door }, resolve(door.cwd, folder ?? `salvage-${found.run}`))
      : asBranch({ on, found }, branch);
  });
}

type Of = { readonly on: On; readonly found: Found; readonly door: Door };

async function asFolder({ on, found, door }: Of, folder: string): Promise<Answer> {
  const { run, commonDir, ref } = found;
  if (commonDir === "" && found.kept.length === 0 && found.aside.length === 0) throw noRepository(found);
  const holding = commonDir === "" ? NOTHING : await holdingOf(on, { commonDir, run, branch: found.branch });
  const { side, copied } = await restoreInto(on, {
    folder,
    commonDir,
    layers: holding.layers,
    kept: found.kept,
    aside: found.aside.map(({ path }) => path),
    about: aboutOf(found, holding),
  });
  const lines = [
    `${copied.files} files of ${run} are in ${folder}`,
    `  what belongs to no file of the work: ${side}`,
    ...copied.left.map((what) => `  left where it is: ${what}`),
    ...(commonDir === "" && ref !== "" ? [`  its repository is gone: ${found.repo}`] : []),
    ...(gitDirOf(door.cwd) !== undefined && folder.startsWith(`${door.cwd}/`)
      ? ["  it lies in a working tree of git, which shows it as untracked"]
      : []),
  ];
  const next = `cat ${side}/ABOUT.md`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: lines[0] ?? "",
    data: () => ({ restored: { run, folder, side, branch: "", files: copied.files, left: copied.left } }),
    text: () => `${folder}\n`,
    next,
    talk: `${lines.join("\n")}\n  next: ${next}\n`,
  };
}

async function asBranch({ on, found }: Omit<Of, "door">, branch: string): Promise<Answer> {
  const { run, commonDir } = found;
  const at = [found.ref, found.forgotten, found.stranded].find((name) => name !== "") ?? "";
  if (commonDir === "" && found.repo !== "") throw noRepository(found);
  if (at === "")
    throw new UserError(
      "no-salvage",
      `git holds nothing of ${run} that a branch could be made of: it is all in files`,
      `signalbox salvage restore ${run}`,
    );
  await makeBranch(on, { commonDir, branch, at });
  const next = `git log --graph ${branch}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `the branch ${branch} is at what was kept of ${run}`,
    data: () => ({ restored: { run, folder: "", side: "", branch, files: 0, left: found.kept } }),
    text: () => `${branch}\n`,
    next,
    talk: [
      `the branch ${branch} is at what was kept of ${run}`,
      ...found.kept.map((path) => `  not in it, because git does not hold it: ${path}`),
      `  next: ${next}`,
      "",
    ].join("\n"),
  };
}

async function makeBranch(
  on: On,
  { commonDir, branch, at }: { readonly commonDir: string; readonly branch: string; readonly at: string },
): Promise<void> {
  const call = inCommon(commonDir);
  const isOdd = branch.startsWith("-") || branch === "@" || branch === "HEAD" || branch.includes("\0");
  const name = `refs/heads/${branch}`;
  if (isOdd || (await tryGit(on.env, { ...call, args: ["check-ref-format", name] })).code !== 0)
    throw new UserError(
      "branch-name",
      `${JSON.stringify(branch)} cannot be the name of a branch.`,
      "git help check-ref-format",
    );
  const value = await tryGit(on.env, {
    ...call,
    args: ["rev-parse", "--verify", "--quiet", `${at}^{commit}`],
  });
  const oid = value.out.toString("utf8").trim();
  if (value.code !== 0) throw failed({ ...call, args: ["rev-parse", at] }, value);
  failpoint("salvage.before-branch");
  const args = ["update-ref", "--no-deref", name, oid, "0".repeat(oid.length)];
  const made = await tryGit(on.env, { ...call, args, durable: true });
  failpoint("salvage.after-branch");
  if (made.code === 0) return;
  if (/cannot lock ref|reference already exists|exists; cannot/.test(made.err))
    throw new UserError("branch-exists", `The branch ${branch} cannot be made beside those that are there.`, {
      next: `git branch --list ${JSON.stringify(branch)}`,
      exit: EXIT_CONFLICT,
    });
  throw failed({ ...call, args }, made);
}

function noRepository({ repo, run, ref }: Found): UserError {
  return new UserError(
    "no-repository",
    `${repo} is no git repository any more, and what was kept of ${run} is in it as ${ref}.`,
    "put it back",
  );
}
