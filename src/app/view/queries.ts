/** Use cases that look at runs: one as a whole, what can be done with it, what waits for a person, and lists. */

import type { Looking, Reading } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { isLookingAtBranches } from "../runs/branches-seen.ts";
import { seeRun } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { nextForPerson } from "./actions.ts";
import { inboxOf } from "./lists/inbox.ts";
import { listOf } from "./lists/list.ts";
import { viewRun } from "./look.ts";
import { nextOf } from "./next.ts";
import type { RunSummary } from "./run-view.ts";
import { whyOf } from "./why.ts";
import { withWhatIsInTheWay } from "./work/place-taken.ts";
import { taskContextOf } from "./work/task-context.ts";

export async function show(
  { door, store }: Looking,
  { run, verbose = false }: InputOf<"show">,
): Promise<Outcome<DataOf<"show">>> {
  const seen = withWhatIsInTheWay(await seeRun(store, door, run));
  const view = await viewRun(seen, door, verbose);
  const task = await taskContextOf(seen.store, view.run);
  return success(
    `${view.run} is ${view.state}: ${view.waits.sentence}`,
    { ...view, task },
    { next: await nextForPerson(seen) },
  );
}

export async function next(on: Reading, { run }: InputOf<"next">): Promise<Outcome<DataOf<"next">>> {
  const { view, next: command } = await nextOf(on, run);
  const message = command === "" ? `there is nothing for ${view.for} to do in ${view.state}` : command;
  return success(message, view, { next: command });
}

export async function why(
  { door, store }: Looking,
  { run }: InputOf<"why">,
): Promise<Outcome<DataOf<"why">>> {
  const { view, next: command } = await whyOf(withWhatIsInTheWay(await seeRun(store, door, run)));
  const open = view.moves.filter((move) => move.open).length;
  return success(`${open} of ${view.moves.length} moves out of ${view.state} are open`, view, {
    next: command,
  });
}

export async function inbox({ door, store }: Looking): Promise<Outcome<DataOf<"inbox">>> {
  const isLooking = store !== undefined && (await isLookingAtBranches(store, door));
  const items = store === undefined ? [] : await inboxOf(store, door);
  const waiting = `${items.length} ${items.length === 1 ? "run waits" : "runs wait"} for you`;
  return success(
    items.length === 0 ? "nothing waits for you" : waiting,
    { items },
    {
      next: items[0]?.actions[0]?.command ?? "signalbox list",
      notes: isLooking
        ? ["A branch moved: still looking whether work was merged. Ask again in a moment."]
        : [],
    },
  );
}

export async function list(
  { door, store }: Looking,
  filter: InputOf<"list">,
): Promise<Outcome<DataOf<"list">>> {
  const { runs, more, queues, hasEnded } = await listOf(store, filter, door);
  const { limit: _limit, ...filters } = filter;
  const isPlain = Object.values(filters).every((value) => value === undefined || value === false);
  const none = !isPlain ? "No run matches." : hasEnded ? "No run is under way." : "No runs yet.";
  return success(
    `${runs.length} ${runs.length === 1 ? "run" : "runs"}${more > 0 ? `, and ${more} more` : ""}`,
    { runs, more },
    {
      next: nextFor(runs, hasEnded && isPlain),
      notes: [
        ...(runs.length === 0 ? [none] : []),
        ...(more > 0 ? [`${more} more: --limit ${runs.length + more}`] : []),
        ...queues,
      ],
    },
  );
}

function nextFor(runs: readonly RunSummary[], hasEnded: boolean): string {
  if (runs.length === 0) return hasEnded ? "signalbox list --all" : "signalbox run WORKFLOW GOAL";
  const isYours = ({ waits }: RunSummary): boolean =>
    ["person", "crashed", "attention", "stopped"].includes(waits.kind);
  return runs.some(isYours) ? "signalbox inbox" : `signalbox show ${runs[0]?.run ?? ""}`;
}
