/** Everything that an agent has to know to begin, or to go on. */

import { maxOf } from "../../core/gates/gate.ts";
import { EXIT_OK } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf } from "../schemas.ts";
import { dispatchOf, seenByAgent } from "./dispatch.ts";
import type { Reading } from "../declare.ts";

export async function getTask(on: Reading): Promise<Outcome<DataOf<"get-task">>> {
  const { seen, caller } = await seenByAgent(on);
  const { workflow, run, row, root } = seen;
  const { definition } = workflow;
  const counters = Object.keys(definition.counters).map(
    (name) => [name, { is: run.counters[name] ?? 0, max: maxOf(workflow, run, name) }] as const,
  );
  const { role, slot, attempt } = caller;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `you are "${role}" of run ${run.id}, which is in ${run.state}`,
    data: {
      run: run.id,
      role,
      slot,
      attempt,
      workflow: definition.name,
      goal: row.goal,
      state: run.state,
      title: definition.states[run.state]?.title ?? "",
      folder: root,
      counters: Object.fromEntries(counters),
      ...(await dispatchOf(seen, caller)),
    },
    next: "",
    notes: [],
  };
}
