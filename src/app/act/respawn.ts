/** A person has agents started again that have crashed, or that were not started since somebody else had changed what they are about. */

import { submit } from "../../engine/submit.ts";
import { ask, seeThrough, type Acting, type Done } from "../context.ts";
import { seenOf } from "../runs/load.ts";
import { foreignOf } from "../view/foreign-edits.ts";

/** Looks whether what keeps an agent from being started was put back. Gives true where something kept one. */
export async function lookWhetherPutBack(on: Acting, id: string): Promise<boolean> {
  if (foreignOf(seenOf(on, id)) === undefined) return false;
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
  const crashed = Object.values(seenOf(on, id).run.agents).filter(({ status }) => status === "crashed");
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
