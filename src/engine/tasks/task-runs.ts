/**
 * What the runs of tasks say, for files that show it. Kept by run and by how far that is: of a hundred tasks, those are read again that
 * have gone on.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Event } from "../../core/model/event.ts";
import { pathsIn, reads } from "../../core/projection/project.ts";
import { recordOf, showsRecord } from "../../core/projection/journal-record.ts";
import { saidIn } from "../../core/projection/accepted-values.ts";
import { INSIDE, insideOf, NO_INSIDE, type TaskInside } from "../../core/tasks/view.ts";
import { sha256 } from "../../format/sha256.ts";
import { askedIn } from "../submit/asked-questions.ts";
import type { Box } from "../box.ts";
import type { ChildRow } from "../ports/graphs.ts";

/** Whether a file names any of it. It would be much to read for one that does not. */
export function showsInside({ definition }: Workflow): boolean {
  const inputs = Object.values(definition.roles).flatMap(({ input }) => (input === undefined ? [] : [input]));
  return [...definition.projections, ...inputs].some(
    (each) => "data" in each && reads(each.data, "tasks") && pathsIn(each.data).some(isInside),
  );
}

/** Of a member, of the one that is under way, or of all of them. */
function isInside(path: string): boolean {
  const [root, ...below] = path.split(".");
  if (root === "item") return INSIDE.some((name) => name === below[0]);
  return root === "tasks" && below.some((part) => part === "all" || INSIDE.some((name) => name === part));
}

/** `mark` is the same as long as it says the same, however far its run has gone on. */
type Known = { readonly seq: number; readonly inside: TaskInside; readonly mark: string };

const NOTHING: Known = { seq: 0, inside: NO_INSIDE, mark: "" };

const KEPT_MAX = 1000;
const memory = new WeakMap<object, Map<string, Known>>();

export async function insideIn(box: Pick<Box, "store" | "workflow">, row: ChildRow): Promise<Known> {
  const run = row.run === "" ? row.took : row.run;
  if (run === "") return NOTHING;
  const known = memory.get(box.store) ?? new Map<string, Known>();
  memory.set(box.store, known);
  const kept = known.get(run);
  if (kept !== undefined && kept.seq === row.seq) return kept;
  const inside = await read(box, run);
  const now = { seq: row.seq, inside, mark: sha256(JSON.stringify(inside)) };
  if (known.size >= KEPT_MAX) known.clear();
  known.set(run, now);
  return now;
}

async function read(box: Pick<Box, "store" | "workflow">, id: string): Promise<TaskInside> {
  const kept = await box.store.load(id);
  // It has a name, and has not begun.
  if (kept === undefined) return NO_INSIDE;
  const workflow = await box.workflow(kept.row.definition);
  const events = (await box.store.events(id)).flatMap(({ seq, event }) =>
    seq <= kept.row.seq ? [event] : [],
  );
  return insideOf(workflow, kept.run, {
    questions: (await askedIn(box, workflow, { id, events })).questions,
    collected: saidIn(workflow, events).collected,
    reviews: lastRounds(workflow, events),
  });
}

function lastRounds(workflow: Workflow, events: readonly Event[]): TaskInside["reviews"] {
  if (!showsRecord(workflow.definition)) return {};
  const all = Object.entries(recordOf(workflow, events).reviews);
  return Object.fromEntries(all.flatMap(([name, rounds]) => rounds.slice(-1).map((round) => [name, round])));
}
