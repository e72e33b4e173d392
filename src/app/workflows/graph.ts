/** A workflow as a picture. */

import { graphOf } from "../../format/picture/graph.ts";
import { mermaid } from "../../format/picture/mermaid.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { requireWorkflow } from "./load.ts";

export async function drawWorkflow(
  door: Invocation,
  { workflow: wanted, expanded = false }: InputOf<"graph">,
): Promise<Outcome<DataOf<"graph">>> {
  const { workflow, helpers, name } = await requireWorkflow(wanted, door);
  const { states, moves } = graphOf(workflow, helpers, { expanded });
  const data = {
    name,
    hash: workflow.hash(),
    states,
    moves,
    mermaid: mermaid(workflow, helpers, { expanded }),
  };
  return success(`${name}: ${states.length} states`, data, { next: `signalbox check ${wanted}` });
}
