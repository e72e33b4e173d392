/**
 * Hands over.
 *
 * Where that leads is in the workflow: the move that is tried for a role when its agent ends, or the verdict that the role owes.
 */

import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Run } from "../../core/model/run.ts";
import { finished } from "../../core/step/refuse.ts";
import { answeredBefore, ask, eventKey, type Acting, type Done } from "../context.ts";
import { EXIT_NOT_YOURS } from "../exit-codes.ts";
import type { InputOf } from "../schemas.ts";
import type { Outcome } from "../outcome.ts";
import { refusal } from "../refusal.ts";
import { requireKept } from "../runs/load.ts";
import { taskOf } from "../runs/task.ts";
import { acknowledge, type Acknowledgement } from "./acknowledged.ts";
import { moveTo } from "./move.ts";

export async function completeTask(
  on: Acting,
  input: InputOf<"complete">,
): Promise<Outcome<Acknowledgement>> {
  const run = await taskOf(on, input.run, input.project);
  const key = eventKey(on, input.key);
  const kept = await requireKept(on, run);
  const workflow = await on.box.workflow(kept.row.definition);
  const role = on.who.type === "agent" ? on.who.actor.role : undefined;
  if ((await answeredBefore(on, run, key)) !== undefined) {
    const done = await moveTo(on, { run, to: "", key });
    const isMove = forward(workflow, { state: done.from }, role) !== undefined;
    const artifact = isMove || role === undefined ? undefined : verdictOf(workflow, role);
    return acknowledge(done, artifact === undefined ? undefined : `${artifact} counts`);
  }
  if (workflow.definition.states[kept.run.state]?.final !== undefined) throw refusal(finished(kept.run));
  const to = forward(workflow, kept.run, role);
  if (to !== undefined) return acknowledge(await moveTo(on, { run, to, note: input.note, key }));
  const artifact = role === undefined ? undefined : verdictOf(workflow, role);
  if (artifact === undefined) throw nowhere(kept.run);
  return acknowledge(await submitVerdict(on, { run, artifact, key }), `${artifact} counts`);
}

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

function submitVerdict(
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
