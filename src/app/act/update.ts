/** Changes details of a task and asks for a move: details first, so that the agent that is told about the move finds them changed. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import {
  answeredBefore,
  ask,
  eventKey,
  seeThrough,
  voiceOf,
  type Acting,
  type Done,
  type Voice,
} from "../context.ts";
import type { InputOf } from "../schemas.ts";
import type { Outcome } from "../outcome.ts";
import { dependenciesOf } from "../runs/dependencies.ts";
import { requireKept } from "../runs/load.ts";
import { taskOf } from "../runs/task.ts";
import { acknowledge, type Acknowledgement } from "./acknowledged.ts";
import { moveTo } from "./move.ts";

const HELP = "signalbox update --help";
const DETAILS = ["branch", "summary"] as const;

export async function updateTask(on: Acting, input: InputOf<"update">): Promise<Outcome<Acknowledgement>> {
  const { status, note, project, dependsOn } = input;
  const details = DETAILS.flatMap((name, at) => {
    const given = input[name];
    // One call is several events; the move is the first of them by number, because a caller's own key is that of the move.
    return given === undefined ? [] : [{ name, given, key: eventKey(on, input.key, at + 2) }];
  });
  if (details.length === 0 && status === undefined && dependsOn === undefined)
    throw new UserError(
      "bad-usage",
      "say what to change: --status, --branch, --summary or --depends-on",
      HELP,
    );
  const run = await taskOf(on, input.run, project);
  const voice = await voiceOf(on, run);
  const isKnown = (await answeredBefore(on, run, details[0]?.key)) !== undefined;
  const values = await Promise.all(
    details.map(async ({ name, given, key }) => ({
      name,
      key,
      value: await valueOf(on, run, { name, given, isKnown }),
    })),
  );
  if (dependsOn !== undefined) await setDependencies(on, run, dependsOn);
  let done: Done | undefined;
  for (const { name, value, key } of values) done = await setDetail(on, { run, name, value, voice, key });
  if (status !== undefined)
    done = await moveTo(on, { run, to: status, note, key: eventKey(on, input.key), voice });
  const changed = [...details.map(({ name }) => name), ...(dependsOn === undefined ? [] : ["dependencies"])];
  const kept = (await requireKept(on, run)).run;
  done ??= {
    run,
    from: kept.state,
    to: kept.state,
    seq: kept.seq,
    told: await seeThrough(on, run),
    accepted: undefined,
  };
  return acknowledge(done, changed.length === 0 ? undefined : `${changed.join(" and ")} changed`);
}

/** Whoever decides what comes first is a person. */
async function setDependencies(on: Acting, run: string, given: readonly string[]): Promise<void> {
  requirePerson(on.who);
  const { repo } = (await requireKept(on, run)).row;
  const ids = given.length === 1 && given[0] === "none" ? [] : await dependenciesOf(on, { given, repo, run });
  await on.box.store.commit([{ type: "put-depends", run, on: ids }]);
}

/** A branch is looked at before anything is written about it. */
async function valueOf(
  on: Acting,
  run: string,
  of: { readonly name: string; readonly given: string; readonly isKnown: boolean },
): Promise<string> {
  const { given } = of;
  if (of.name !== "branch") return fitting(of.name, given);
  const branch = given === "" ? await branchOf(on, run) : given;
  const { row, run: now } = await requireKept(on, run);
  const path = (await on.box.store.boundWorkspace(run))?.path;
  if (of.isKnown || branch === now.params["branch"]) return branch;
  // Git is loaded only for those who name a branch.
  const { requireBranch } = await import("../runs/branch.ts");
  await requireBranch(on, { repo: row.repo, branch, run, ...(path === undefined ? {} : { path }) });
  return branch;
}

/** The header of the page, the lists and the journal hold the whole value. */
const CHARACTERS_MAX = 2000;

function fitting(name: string, value: string): string {
  if (value.length <= CHARACTERS_MAX) return value;
  throw new UserError(
    "too-large",
    `the ${name} has more than ${CHARACTERS_MAX} characters`,
    `say it in one line: signalbox update RUN --${name} TEXT`,
  );
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
  const workspace = await box.store.boundWorkspace(run);
  if (workspace === undefined)
    throw new UserError("no-workspace", `run ${run} has no workspace whose branch could be asked for`, HELP);
  const { presentBranch } = await import("../../adapters/git/repository/refs.ts");
  const branch = presentBranch(workspace.path);
  if (branch !== "") return branch;
  throw new UserError("no-branch", `no branch is checked out in ${workspace.path}`, `git switch -c NAME`);
}
