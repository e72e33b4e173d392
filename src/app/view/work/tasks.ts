/** All tasks of a run, of the last list of each kind: what became of each, what was counted on its way, and who has approved of it. */

import type { Workflow } from "../../../core/model/compile.ts";
import type { Run } from "../../../core/model/run.ts";
import { standingOf } from "../../../core/gates/artifact-status.ts";
import type { ChildRow } from "../../../engine/ports/graphs.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { flatMapped } from "../../../engine/lists.ts";
import { workflowsIn, type Seen } from "../../runs/find.ts";
import { viewsOf } from "./children.ts";
import type { ChildShown } from "../run-view.ts";

export type { ChildShown };

export async function tasksShown(seen: Pick<Seen, "store" | "run">): Promise<readonly ChildShown[]> {
  const { store, run } = seen;
  const all = await store.childrenOf(run.id);
  const last = Math.max(...all.map(({ entry }) => entry));
  const entries = new Map(all.map(({ artifact, entry }) => [artifact, entry]));
  const workflow = workflowsIn(store);
  return flatMapped([...entries], async ([list, entry]) => {
    const children = all.filter((child) => child.artifact === list && child.entry === entry);
    const views = viewsOf(children, run);
    return flatMapped(children, async (child, at) => {
      const view = views[at];
      // What an earlier list has left open is nobody's any more.
      if (view === undefined || (view.status === "open" && entry !== last)) return [];
      return [{ ...view, list, ...(await judgedIn(store, child, workflow)) }];
    });
  });
}

async function judgedIn(
  store: Store,
  { run: own, took }: ChildRow,
  workflowOf: (hash: string) => Promise<Workflow>,
): Promise<Pick<ChildShown, "counted" | "approved" | "waived">> {
  const id = own === "" ? took : own;
  const kept = id === "" ? undefined : await store.load(id);
  if (kept === undefined) return { counted: {}, approved: [], waived: [] };
  const { row, run } = kept;
  const workflow = await workflowOf(row.definition);
  const counted = Object.entries(run.counters).filter(([, value]) => value > 0);
  return {
    counted: Object.fromEntries(counted),
    approved: approvalsIn(workflow, run),
    waived: Object.entries(run.waivers).map(([artifact, { by }]) => ({ artifact, by })),
  };
}

/** Whoever may only read judges. */
function approvalsIn(workflow: Workflow, run: Run): readonly string[] {
  const { artifacts, roles } = workflow.definition;
  return Object.entries(artifacts).flatMap(([name, { by }]) => {
    const judges = by.filter((role) => roles[role]?.access === "read");
    const standing = judges.length === 0 ? "missing" : standingOf(workflow, run, name);
    if (standing !== "pass" && standing !== "pass_with_notes") return [];
    return [`${judges.join(" or ")}${standing === "pass" ? "" : " (with notes)"}`];
  });
}

const SHOWN_MAX = 30;

/** A table for each list. Of a long one, those that are done come to a line. */
export function sayTasks(
  tasks: readonly ChildShown[],
  of: { readonly run: string; readonly verbose: boolean },
): readonly { readonly title: string; readonly rows: readonly (readonly string[])[] }[] {
  const lists = [...new Set(tasks.map(({ list }) => list))];
  return lists.map((list) => {
    const all = tasks.filter((task) => task.list === list);
    const room = SHOWN_MAX - all.filter(({ status }) => status !== "done").length;
    const done = all.filter(({ status }) => status === "done");
    const hidden =
      of.verbose || all.length <= SHOWN_MAX ? [] : done.slice(0, done.length - Math.max(0, room));
    const shown = all.filter((task) => !hidden.includes(task)).map(sayTask);
    const more = `and ${hidden.length} more that are done: signalbox show ${of.run} --verbose`;
    return {
      title: lists.length === 1 ? "Tasks" : `Tasks of ${list}`,
      rows: hidden.length === 0 ? shown : [...shown, [more]],
    };
  });
}

function sayTask({ task, title, run, status, waits, ...went }: ChildShown): readonly string[] {
  const more = [
    ...(waits === "" ? [] : [`waits for ${waits}`]),
    ...Object.entries(went.counted).map((pair) => pair.join(" ")),
    ...(went.approved.length === 0 ? [] : [`approved by ${went.approved.join(", ")}`]),
    ...went.waived.map(({ artifact, by }) => `${artifact} waived by ${by === "human" ? "a person" : by}`),
  ];
  return [task, status, run, more.length === 0 ? title : `${title} (${more.join("; ")})`];
}
