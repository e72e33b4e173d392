/** What waits for a person, in all runs of this machine. */

import { filtered, flatMapped } from "../../../engine/lists.ts";
import { inLine } from "../../../engine/queue/position.ts";
import type { RunRow } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { readable, UserError } from "../../../adapters/user-error.ts";
import type { Looking } from "../../declare.ts";
import type { Invocation } from "../../invocation.ts";
import { success, type Outcome } from "../../outcome.ts";
import { homeMissing, isFinished, seeRun, requireHome, workflowsIn, type Seen } from "../../runs/find.ts";
import type { DataOf } from "../../schemas.ts";
import { actionsOf, nextForPerson, retryOf } from "../actions.ts";
import { reviewsOf } from "../decision/findings.ts";
import { choicesOfLanded, landedIn, sayLanded } from "../decision/merged-elsewhere.ts";
import { decisionOf, processesOf } from "../look.ts";
import { isPermission, permissionOf } from "../decision/permission.ts";
import { questionOf } from "../decision/question.ts";
import type { InboxItem, InboxPark } from "../inbox-view.ts";
import type { WaitView } from "../run-view.ts";
import { aboutOf, sharedIn, summaryOf, type Shared } from "./summary.ts";
import { isAtALoss, isSetAside } from "../decision/task-choices.ts";
import { parkedView, parksIn, sayParked } from "../status/parked.ts";
import { deadlocksIn, isStranded, troubleOf, withoutWorkspace } from "../status/trouble.ts";
import { waitsOf } from "../status/waits.ts";
import { capitalised, sentence } from "../words.ts";
import { setTimeout as pause } from "node:timers/promises";
import { areBranchesNews } from "../../../adapters/git/delivery/last-look.ts";

const LIMIT = 1000;

export async function inbox({ door, store }: Looking): Promise<Outcome<DataOf<"inbox">>> {
  const isLooking = store !== undefined && (await isLookingAtBranches(store, door));
  const items = store === undefined ? [] : await inboxOf(store, door);
  const parks = store === undefined ? [] : await parkedIn(store);
  const count = items.length + parks.filter(({ until }) => until === "").flatMap(({ runs }) => runs).length;
  const waiting = `${count} ${count === 1 ? "run waits" : "runs wait"} for you`;
  return success(
    count === 0 ? "nothing waits for you" : waiting,
    { items, parks },
    {
      next: [...items, ...parks][0]?.actions[0]?.command ?? "signalbox list",
      notes: [
        ...homeMissing(door),
        ...(isLooking
          ? ["A branch moved: still looking whether work was merged. Ask again in a moment."]
          : []),
      ],
    },
  );
}

/** Questions first, then reviews, then what is stuck; in each group the oldest first. */
async function inboxOf(store: Store, door: Invocation): Promise<readonly InboxItem[]> {
  const shared = await sharedIn(store);
  const items: InboxItem[] = [];
  for (const row of await rowsIn(store)) items.push(await itemOf(shared, row, door));
  return items.toSorted(
    (a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) || compared(a.since, b.since),
  );
}

/** One entry for each park, however many runs it holds up. A service that is tried again in some minutes is nothing for a person. */
async function parkedIn(store: Store): Promise<readonly InboxPark[]> {
  const parks = (await parksIn(store)).filter((park) => park.class !== "provider");
  const workflow = workflowsIn(store);
  return flatMapped(parks, async (park) => {
    const rows = await flatMapped(park.runs, async (id) => (await readable(() => store.load(id))) ?? []);
    const open = rows.filter(({ row }) => !isFinished(row));
    const view = parkedView(park);
    const [first] = open;
    if (first === undefined || view === null) return [];
    const runs = await Promise.all(
      open.map(async ({ row, run }) => {
        const known = await readable(() => workflow(row.definition));
        return { run: row.id, summary: known === undefined ? row.goal : aboutOf(known.definition, run, row) };
      }),
    );
    return [{ ...view, sentence: sayParked(park, first.row.id), runs, actions: [retryOf(first.run, park)] }];
  });
}

export const GROUPS: readonly InboxItem["group"][] = ["question", "review", "stuck", "other"];

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function rowsIn(store: Store): Promise<readonly RunRow[]> {
  const rows = [
    ...(await store.list({ status: "waiting", limit: LIMIT })).rows,
    ...(await store.list({ attention: true, limit: LIMIT })).rows,
    ...(await flatMapped(
      [...(await deadlocksIn(store)).keys()],
      async (run) => (await store.load(run))?.row ?? [],
    )),
    ...(await flatMapped(
      (await store.questions({ open: true })).filter(isPermission),
      async ({ run }) => (await store.load(run))?.row ?? [],
    )),
    ...(await landedIn(store)),
    ...(await withoutWorkspace(store)),
  ];
  const isNext = await inLine(store);
  return filtered(new Map(rows.map((row) => [row.id, row])).values(), async (row) => {
    const isTrouble = (await troubleOf(store, row)) !== "";
    return isTrouble || ((row.halted || !isNext.has(row.id)) && !isFinished(row));
  });
}

async function itemOf(shared: Shared, row: RunRow, door: Invocation): Promise<InboxItem> {
  const { tasks: _tasks, ...summary } = await summaryOf(shared, row);
  const damaged = (reason: string): InboxItem => ({
    ...summary,
    group: "stuck",
    kind: "damaged",
    since: row.updatedAt,
    reason,
    decision: null,
    question: null,
    findings: [],
    actions: [{ command: "signalbox doctor --repair", sentence: "repair it" }],
  });
  if (row.status === "damaged") return damaged(row.attention);
  try {
    const seen = await seeRun(shared.store, door, row.id);
    const waits = await waitsOf(seen, await processesOf(seen));
    return { ...summary, waits, ...(await itemSeen(seen, waits)) };
  } catch (error) {
    // One run that cannot be read must not hide the others.
    if (error instanceof UserError) return damaged(error.message);
    throw error;
  }
}

type Own = Omit<InboxItem, keyof Awaited<ReturnType<typeof summaryOf>>>;

async function itemSeen(seen: Seen, waits: WaitView): Promise<Own & Pick<InboxItem, "kind">> {
  const { row, run } = seen;
  const kind = kindOf(seen, waits);
  const findings = await reviewsOf(seen);
  const landed = sayLanded(seen);
  const isLanded = landed !== "" && row.status === "running" && kind === "waiting";
  const { actions } = await actionsOf(seen);
  const next = { command: await nextForPerson(seen, { actions }), sentence: "" };
  return {
    group: await groupOf(seen, kind),
    kind,
    since: waits.since,
    reason: `${await ofTask(seen)}${isLanded ? sentence(capitalised(landed)) : waits.sentence}`,
    decision: await decisionOf(seen, { findings, actions }),
    question: (await questionOf(seen)) ?? null,
    findings,
    actions: isLanded
      ? [
          ...choicesOfLanded(seen).map(({ command, means }) => ({ command, sentence: means })),
          { command: `signalbox show ${run.id}`, sentence: "it is not merged: the run goes on" },
        ]
      : actions.length === 0
        ? [next]
        : actions,
  };
}

function kindOf(seen: Seen, { kind }: WaitView): InboxItem["kind"] {
  if (kind === "attention") return "attention";
  if (kind === "stopped") return "halted";
  if (seen.run.question !== undefined || permissionOf(seen.run) !== undefined) return "question";
  return isStranded(seen) ? "crashed" : "waiting";
}

async function groupOf(seen: Seen, kind: InboxItem["kind"]): Promise<InboxItem["group"]> {
  const { run, store } = seen;
  if (kind === "question" || (kind === "waiting" && isSetAside(seen))) return "question";
  if (kind === "crashed" || kind === "attention") return "stuck";
  if (kind !== "waiting") return "other";
  if (!isAtALoss(seen)) return "review";
  const hasBegun = (await store.workspace(run.id)) !== undefined || Object.keys(run.attempts).length > 0;
  return hasBegun ? "stuck" : "other";
}

/** A task of another run has a name that nobody chose. */
async function ofTask({ store, run }: Seen): Promise<string> {
  const child = await store.childAs(run.id);
  return child === undefined ? "" : `Task ${child.task.id} of ${child.parent}: `;
}

/** Has merged branches looked at before a list of what waits is printed. */

const WAIT_MS = 2000;
const LOOK_MS = 50;

/** Gives whether the supervisor is still looking. Where no default branch has moved, a few looks at files. */
async function isLookingAtBranches(store: Store, door: Invocation): Promise<boolean> {
  const home = requireHome(door);
  if (!(await areBranchesNews(store, home))) return false;
  const [{ wake }, { isSupervisorAlive }] = await Promise.all([
    import("../../runs/wake.ts"),
    import("../../../adapters/supervisor/lock.ts"),
  ]);
  await wake({ door, home, box: { store } });
  for (let waited = 0; waited < WAIT_MS && isSupervisorAlive(home); waited += LOOK_MS) {
    if (!(await areBranchesNews(store, home))) return false;
    await pause(LOOK_MS);
  }
  return areBranchesNews(store, home);
}
