/** A person has agents started again that have crashed, or that were not started since somebody else had changed what they are about. */

import { UserError } from "../../../adapters/user-error.ts";
import type { Run } from "../../../core/model/run.ts";
import { submit } from "../../../engine/submit/submit.ts";
import { ask, eventKey, runOf, seeThrough, type Acting, type Done } from "../../context.ts";
import type { InputOf } from "../../schemas.ts";
import type { Outcome } from "../../outcome.ts";
import { requireKept, seenOf } from "../../runs/load.ts";
import { taskOf } from "../../runs/task.ts";
import { foreignOf } from "../../view/decision/foreign-edits.ts";
import { acknowledge, type Acknowledgement } from "../acknowledged.ts";

export async function respawn(
  on: Acting,
  { words, project, key }: InputOf<"respawn">,
): Promise<Outcome<Acknowledgement>> {
  const { run, role } = await meantBy(on, words, project);
  const from = (await requireKept(on, run)).run;
  // Where the text was all that was missing, no agent has to be started any more.
  if ((await lookWhetherPutBack(on, run)) && (await requireKept(on, run)).run.entry > from.entry)
    return acknowledge(
      await goneOn(on, from),
      "what was there is put back, and that was all that was missing",
    );
  const done = await respawnRole(on, {
    run,
    role: role ?? (await crashedRole(on, run)),
    key: eventKey(on, key),
  });
  return acknowledge(done, "the agent is started again");
}

/** Looks whether what keeps an agent from being started was put back. Gives true where something kept one. */
export async function lookWhetherPutBack(on: Acting, id: string): Promise<boolean> {
  if (foreignOf(await seenOf(on, id)) === undefined) return false;
  await readFiles(on, id);
  return true;
}

/** Takes in the files of the run as they are now. Gives true where that moved the run. */
export async function readFiles(on: Acting, id: string): Promise<boolean> {
  const read = await submit(on.box, {
    run: id,
    by: { type: "engine" },
    event: ({ kept: _kept, ...known }) => ({ type: "observed", ...known }),
  });
  await seeThrough(on, id);
  return read.type === "accepted" && read.run.entry > read.before.entry;
}

/** Roles whose agent waits for a person. */
export async function crashedIn(on: Acting, id: string): Promise<readonly string[]> {
  await lookWhetherPutBack(on, id);
  const crashed = Object.values((await seenOf(on, id)).run.agents).filter(
    ({ status }) => status === "crashed",
  );
  return [...new Set(crashed.map(({ role }) => role))];
}

export function respawnRole(
  on: Acting,
  of: { readonly run: string; readonly role: string; readonly key?: string | undefined },
): Promise<Done> {
  const { run, role, key } = of;
  return ask(on, {
    run,
    ...(key === undefined ? {} : { key }),
    event: ({ at }, by) => ({ type: "respawn-asked", by, at, role }),
    // Nothing that is read plays a part in it.
    facts: {},
  });
}

async function goneOn(on: Acting, { id, state: from }: Run): Promise<Done> {
  const { state, seq } = (await requireKept(on, id)).run;
  return { run: id, from, to: state, seq, told: [], accepted: undefined };
}

/** One word is a run, unless nothing but a role of the run that we are in has that name. */
async function meantBy(
  on: Acting,
  [first, second]: readonly string[],
  project: string | undefined,
): Promise<{ run: string; role: string | undefined }> {
  if (second !== undefined || first === undefined)
    return { run: await taskOf(on, first, project), role: second };
  try {
    return { run: await taskOf(on, first, project), role: undefined };
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "unknown-run") throw error;
    const here = await isRoleHere(on, first);
    if (here === undefined) throw error;
    return { run: here, role: first };
  }
}

async function isRoleHere(on: Acting, role: string): Promise<string | undefined> {
  try {
    const run = await runOf(on, undefined);
    const { definition } = await on.box.workflow((await requireKept(on, run)).row.definition);
    return Object.hasOwn(definition.roles, role) ? run : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function crashedRole(on: Acting, id: string): Promise<string> {
  const { run } = await requireKept(on, id);
  const crashed = Object.values(run.agents).filter(({ status }) => status === "crashed");
  const [only, another] = crashed;
  if (only === undefined)
    throw new UserError("invalid", `no agent of run ${id} has crashed`, `signalbox show ${id}`);
  if (another === undefined) return only.role;
  const roles = crashed.map(({ role }) => role).join(", ");
  throw new UserError("which-role", `several have crashed: ${roles}`, `signalbox respawn ${id} ${only.role}`);
}
