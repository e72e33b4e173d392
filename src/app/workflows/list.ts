/** Workflows by name: which there are here, the copy of a built-in one, and the schema of their files. */

import { relative } from "node:path";
import { builtInWorkflows, listWorkflows } from "../../adapters/library/find.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { loadWorkflow, type Loaded } from "./load.ts";

type ListedWorkflow = DataOf<"workflows">["workflows"][number];

export async function workflows(door: Invocation): Promise<Outcome<DataOf<"workflows">>> {
  const builtIn = new Set(builtInWorkflows().map(({ name }) => name));
  const loaded = await Promise.all(listWorkflows(door).map((found) => loadWorkflow(found, door)));
  const rows = loaded.map((each) => rowOf(each, builtIn));
  return success(`${rows.length} workflows`, { workflows: rows }, { next: "signalbox check NAME" });
}

function rowOf(loaded: Loaded, builtIn: ReadonlySet<string>): ListedWorkflow {
  const { found, file } = loaded;
  const { name } = found;
  const from = found.from === "override" ? (builtIn.has(name) ? "overriding" : "repository") : "built-in";
  if (!loaded.ok)
    return { name, from, hash: "", title: `(it has problems: signalbox check ${name})`, file, ok: false };
  const { workflow } = loaded;
  return { name, from, hash: workflow.hash(), title: workflow.definition.title, file, ok: true };
}

export async function eject(
  door: Invocation,
  { workflow }: InputOf<"eject">,
): Promise<Outcome<DataOf<"eject">>> {
  const { ejectWorkflow } = await import("../../adapters/library/eject.ts");
  const ejected = ejectWorkflow(workflow, door);
  const { name } = ejected;
  const folder = relative(door.cwd, ejected.folder);
  const schema = relative(door.cwd, ejected.schema);
  return success(
    `${name} is now in ${folder} and comes before the built-in one`,
    { name, folder, schema },
    {
      next: `signalbox check ${name}`,
      notes: [`${name} is yours now: change it there, and it comes before the built-in one.`],
    },
  );
}

export async function workflowSchema(): Promise<Outcome<DataOf<"schema">>> {
  const { jsonSchema } = await import("../../format/workflow/schema/schema.ts");
  return success("the schema of workflow files", { schema: jsonSchema() });
}
