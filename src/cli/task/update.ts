/** `signalbox task update`: details first, so that whoever is told about the move finds them changed. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { boundWorkspace } from "../../engine/place.ts";
import { acted } from "../acted.ts";
import {
  acting,
  answeredBefore,
  ask,
  seeThrough,
  voiceOf,
  type Acting,
  type Done,
  type Voice,
} from "../../app/context.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { requireKept } from "../../app/runs/load.ts";
import { moveTo } from "../../app/act/move.ts";
import { dependenciesOf } from "./dependencies.ts";
import { DEPENDS_ON, OF_PROJECT, taskOf } from "./which.ts";

const HELP = "signalbox task update --help";
const DETAILS = ["branch", "summary"] as const;

export const command: Command = {
  usage: "[TASK] [--status STATE] [--branch [NAME]] [--summary TEXT] [--depends-on TASK]...",
  about:
    "Changes details of a task, and asks for a move exactly as `signalbox move` does.\nWhat it depends on is replaced by what is given; none takes it all away. Only people can change that.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    status: { takes: "STATE", about: "ask for a move to this state" },
    branch: {
      takes: "[NAME]",
      about: "the branch has this name now; without one, that of the workspace",
      alone: true,
    },
    summary: { takes: "TEXT", about: "one line that says what the task is" },
    "depends-on": DEPENDS_ON,
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: [
    "signalbox task update --status working",
    'signalbox task update --branch fix-dates --summary "Dates in the export"',
    "signalbox task update k3d9 --depends-on m2x7",
  ],
  answer: update,
};

function update({ words: [word], options, lists }: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    const { status, note, key, project } = options;
    const details = DETAILS.filter((name) => options[name] !== undefined);
    const others = lists["depends-on"];
    if (details.length === 0 && status === undefined && others === undefined)
      throw new UserError(
        "bad-usage",
        "say what to change: --status, --branch, --summary or --depends-on",
        HELP,
      );
    const run = taskOf(on, word, project);
    const voice = await voiceOf(on, run);
    const isKnown = answeredBefore(on, run, keyFor(key, details[0] ?? "")) !== undefined;
    const values = await Promise.all(
      details.map(async (name) => ({ name, value: await valueOf(on, run, { name, options, isKnown }) })),
    );
    if (others !== undefined) setDependencies(on, run, others);
    let done: Done | undefined;
    for (const { name, value } of values)
      done = await setDetail(on, { run, name, value, voice, key: keyFor(key, name) });
    if (status !== undefined) done = await moveTo(on, { run, to: status, note, key, voice });
    const changed = [...details, ...(others === undefined ? [] : ["dependencies"])];
    const kept = requireKept(on, run).run;
    done ??= {
      run,
      from: kept.state,
      to: kept.state,
      seq: kept.seq,
      told: await seeThrough(on, run),
      accepted: undefined,
    };
    return acted(done, changed.length === 0 ? undefined : `${changed.join(" and ")} changed`);
  });
}

/** Whoever decides what comes first is a person. */
function setDependencies(on: Acting, run: string, given: readonly string[]): void {
  requirePerson(on.who);
  const { repo } = requireKept(on, run).row;
  const ids = given.length === 1 && given[0] === "none" ? [] : dependenciesOf(on, { given, repo, run });
  on.box.store.putDepends(run, ids);
}

/** A branch is looked at before anything is written about it. */
async function valueOf(
  on: Acting,
  run: string,
  of: { readonly name: string; readonly options: Given["options"]; readonly isKnown: boolean },
): Promise<string> {
  const given = of.options[of.name] ?? "";
  if (of.name !== "branch") return given;
  const branch = given === "" ? await branchOf(on, run) : given;
  const { row, run: now } = requireKept(on, run);
  const path = boundWorkspace(on.box, run)?.path;
  if (of.isKnown || branch === now.params["branch"]) return branch;
  // Git is loaded only for those who name a branch.
  const { requireBranch } = await import("./branch.ts");
  await requireBranch(on, { repo: row.repo, branch, run, ...(path === undefined ? {} : { path }) });
  return branch;
}

/** One call is several events: each has a key of its own. */
function keyFor(key: string | undefined, name: string): string | undefined {
  return key === undefined ? undefined : `${key}:${name}`;
}

type Detail = {
  readonly run: string;
  readonly name: string;
  readonly value: string;
  readonly voice: Voice;
  readonly key: string | undefined;
};

function setDetail(on: Acting, { run, name, value, voice, key }: Detail): Promise<Done> {
  return ask(on, {
    run,
    voice,
    ...(key === undefined ? {} : { key }),
    facts: {},
    event: ({ at }, by) => ({ type: "param-set", by, at, name, value }),
  });
}

async function branchOf({ box }: Acting, run: string): Promise<string> {
  const workspace = boundWorkspace(box, run);
  if (workspace === undefined)
    throw new UserError("no-workspace", `run ${run} has no workspace whose branch could be asked for`, HELP);
  const { presentBranch } = await import("../../adapters/git/present-branch.ts");
  const branch = presentBranch(workspace.path);
  if (branch !== "") return branch;
  throw new UserError("no-branch", `no branch is checked out in ${workspace.path}`, `git switch -c NAME`);
}
