/**
 * `signalbox task complete`: hands over.
 *
 * Where that leads is in the workflow: the move that is tried for a role when its agent ends, or the verdict that the role owes.
 */

import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/compile.ts";
import type { Run } from "../../core/run.ts";
import { finished } from "../../core/refuse.ts";
import { acted } from "../acted.ts";
import { acting, ask, answeredBefore, type Acting, type Done } from "../../app/context.ts";
import { EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { requireKept } from "../../app/runs/load.ts";
import { moveTo } from "../../app/act/move.ts";
import { refusal } from "../../app/refusal.ts";
import { OF_PROJECT, taskOf } from "./which.ts";

export const command: Command = {
  usage: "[TASK] [--note TEXT] [--key KEY]",
  about:
    "Hands over: asks for the one move forward that your role can ask for from here, such as from working to agent-review.\nA reviewer hands in its verdict, and the engine decides where that leads.",
  words: { min: 0, max: 1 },
  options: {
    ...OF_PROJECT,
    note: { takes: "TEXT", about: "why, for the history" },
    key: { takes: "KEY", about: "the same key twice does it once, and gives the same answer" },
  },
  examples: ["signalbox task complete"],
  answer: ({ words: [word], options: { project, note, key } }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const run = taskOf(on, word, project);
      const kept = requireKept(on, run);
      const workflow = on.box.workflow(kept.row.definition);
      const role = on.who.type === "agent" ? on.who.actor.role : undefined;
      if (answeredBefore(on, run, key) !== undefined) {
        const done = await moveTo(on, { run, to: "", key });
        const isMove = forward(workflow, { state: done.from }, role) !== undefined;
        const artifact = isMove || role === undefined ? undefined : verdictOf(workflow, role);
        return acted(done, artifact === undefined ? undefined : `${artifact} counts`);
      }
      if (workflow.definition.states[kept.run.state]?.final !== undefined) throw refusal(finished(kept.run));
      const to = forward(workflow, kept.run, role);
      if (to !== undefined) return acted(await moveTo(on, { run, to, note, key }));
      const artifact = role === undefined ? undefined : verdictOf(workflow, role);
      if (artifact === undefined) throw nowhere(kept.run);
      return acted(await handIn(on, { run, artifact, key }), `${artifact} counts`);
    }),
};

/** A person may hand over for whoever would. */
function forward(
  { definition }: Workflow,
  { state }: Pick<Run, "state">,
  role: string | undefined,
): string | undefined {
  const tries = definition.ends
    .filter((end) => end.in === state && (role === undefined || end.role === role))
    .flatMap((end) => (end.try === undefined ? [] : [end.try]));
  const [only, another] = [...new Set(tries)];
  return another === undefined ? only : undefined;
}

/** The artifact by which the role judges. */
function verdictOf({ definition }: Workflow, role: string): string | undefined {
  const own = Object.entries(definition.artifacts).filter(([, { by, reader }]) => {
    const judges =
      (reader.type === "section" && reader.verdicts !== undefined) ||
      ((reader.type === "json" || reader.type === "yaml") && reader.review !== undefined);
    return judges && by.includes(role);
  });
  return own.length === 1 ? own[0]?.[0] : undefined;
}

function handIn(
  on: Acting,
  of: { readonly run: string; readonly artifact: string; readonly key: string | undefined },
): Promise<Done> {
  const { run, artifact, key } = of;
  return ask(on, {
    run,
    ...(key === undefined ? {} : { key }),
    event: ({ kept: _kept, readings = [], ...known }, by) => ({
      type: "submitted",
      by,
      ...known,
      readings: readings.filter((reading) => reading.artifact === artifact),
    }),
  });
}

function nowhere({ id, state }: Run): UserError {
  return new UserError("not-in-map", `nothing is to be handed over in ${state}`, {
    next: `signalbox next ${id}`,
    exit: EXIT_NOT_YOURS,
  });
}
