/** A text that somebody else has changed, so that nothing goes on: which one it is, and what a person can do about it. */

import { join } from "node:path";
import { foreignFor, isForeign, sayForeign } from "../../../core/gates/accepted-artifacts.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import type { Run } from "../../../core/model/run.ts";
import { fillPath, isInPlace } from "../../../engine/submit/place.ts";
import { workflowOf, type Seen } from "../../runs/find.ts";
import { shellWord } from "../../../core/text/shell-word.ts";
import type { Choice } from "./choices.ts";

type Foreign = {
  /** The run that it belongs to: this one, or the one that this one was made for. */
  readonly run: Run;
  readonly workflow: Workflow;
  readonly artifact: string;
};

/** One for which an agent is not started. */
export function foreignOf({ workflow, run }: Seen): string | undefined {
  const crashed = Object.values(run.agents).filter(({ status }) => status === "crashed");
  return crashed.flatMap(({ role }) => foreignFor(workflow, run, role))[0];
}

/** Also one for which a check or the agent of a task is held up. */
async function holdingUp(seen: Seen): Promise<Foreign | undefined> {
  const { workflow, run, row } = seen;
  if (row.attention === "") {
    const artifact = foreignOf(seen);
    return artifact === undefined ? undefined : { run, workflow, artifact };
  }
  const own = Object.keys(workflow.definition.artifacts).find(
    (name) => isForeign(workflow, run, name) && row.attention.startsWith(sayForeign(workflow, run, name)),
  );
  return own === undefined ? ofParent(seen) : { run, workflow, artifact: own };
}

/** Tasks go by what their parent has accepted. */
async function ofParent({ store, row }: Seen): Promise<Foreign | undefined> {
  const kept = await store.load((await store.childAs(row.id))?.parent ?? "");
  const id = kept === undefined ? undefined : new RegExp(`signalbox submit ${kept.row.id} (\\S+);`);
  const artifact = id?.exec(row.attention)?.[1];
  if (kept === undefined || artifact === undefined) return undefined;
  return { run: kept.run, workflow: await workflowOf(store, kept.row), artifact };
}

/** To look comes first: who takes it answers for it. */
export async function choicesOfForeign(seen: Seen): Promise<readonly Choice[]> {
  const foreign = await holdingUp(seen);
  if (foreign === undefined) return [];
  const { run, artifact } = foreign;
  const by = foreign.workflow.definition.artifacts[artifact]?.by ?? [];
  const take = { command: `signalbox submit ${run.id} ${artifact}`, means: "take it as yours" };
  const isOwn = run.id === seen.run.id;
  return [
    { command: `less ${await pathOf(seen, foreign)}`, means: "look at what is there now" },
    ...(by.includes("human") ? [take] : []),
    {
      command: `signalbox resume ${seen.run.id}`,
      means: `when you have put back what was there${isOwn && seen.row.attention === "" ? "" : ", or taken it"}`,
    },
  ];
}

/** Whoever works in place is there; other workspaces have to be found. */
async function pathOf({ store, run: { id }, root }: Seen, foreign: Foreign): Promise<string> {
  const file = fileOf(foreign);
  const workspace = await store.workspace(id);
  const isHere = workspace !== undefined && isInPlace(workspace);
  return (isHere ? file : join(root, file))
    .split("*")
    .map((part) => (part === "" ? "" : shellWord(part)))
    .join("*");
}

function fileOf({ run, workflow, artifact }: Foreign): string {
  return fillPath(run, workflow.definition.artifacts[artifact]?.file ?? "");
}

/** In short; empty where no such text holds it up. */
export async function sayHeldUp(seen: Seen): Promise<string> {
  const foreign = await holdingUp(seen);
  return foreign === undefined ? "" : `${fileOf(foreign)} was changed by another author`;
}
