/** `signalbox task respawn`: the agent that has crashed is started again. */

import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Run } from "../../core/run.ts";
import { acted } from "../acted.ts";
import { acting, runOf, type Acting, type Done } from "../../app/context.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { requireKept } from "../../app/runs/load.ts";
import { lookWhetherPutBack, respawnRole } from "../../app/act/respawn.ts";
import { OF_PROJECT, taskOf } from "./which.ts";

export const command: Command = {
  usage: "[TASK] [ROLE] [--key KEY]",
  about: "Has an agent started again that has crashed. Only people can do this.",
  words: { min: 0, max: 2 },
  options: {
    ...OF_PROJECT,
    key: { takes: "KEY", about: "the same key twice starts it once, and gives the same answer" },
  },
  examples: ["signalbox task respawn k3d9", "signalbox task respawn k3d9 worker"],
  answer: respawn,
};

function respawn({ words, options }: Given, door: Door): Promise<Answer> {
  return acting(door, async (on) => {
    requirePerson(on.who);
    const { run, role } = meantBy(on, words, options["project"]);
    const from = requireKept(on, run).run;
    // Where the text was all that was missing, nobody need be started any more.
    if ((await lookWhetherPutBack(on, run)) && requireKept(on, run).run.entry > from.entry)
      return acted(goneOn(on, from), "what was there is put back, and that was all that was missing");
    const done = await respawnRole(on, { run, role: role ?? crashedRole(on, run), key: options["key"] });
    return acted(done, "the agent is started again");
  });
}

function goneOn(on: Acting, { id, state: from }: Run): Done {
  const { state, seq } = requireKept(on, id).run;
  return { run: id, from, to: state, seq, told: [], accepted: undefined };
}

/** One word is a run, unless nothing but a role of the run that we are in has that name. */
function meantBy(
  on: Acting,
  [first, second]: readonly string[],
  project: string | undefined,
): { run: string; role: string | undefined } {
  if (second !== undefined || first === undefined) return { run: taskOf(on, first, project), role: second };
  try {
    return { run: taskOf(on, first, project), role: undefined };
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "unknown-run") throw error;
    const here = isRoleHere(on, first);
    if (here === undefined) throw error;
    return { run: here, role: first };
  }
}

function isRoleHere(on: Acting, role: string): string | undefined {
  try {
    const run = runOf(on, undefined);
    const { definition } = on.box.workflow(requireKept(on, run).row.definition);
    return Object.hasOwn(definition.roles, role) ? run : undefined;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function crashedRole(on: Acting, id: string): string {
  const { run } = requireKept(on, id);
  const crashed = Object.values(run.agents).filter(({ status }) => status === "crashed");
  const [only, another] = crashed;
  if (only === undefined)
    throw new UserError("invalid", `no agent of run ${id} has crashed`, `signalbox show ${id}`);
  if (another === undefined) return only.role;
  const roles = crashed.map(({ role }) => role).join(", ");
  throw new UserError(
    "which-role",
    `several have crashed: ${roles}`,
    `signalbox task respawn ${id} ${only.role}`,
  );
}
