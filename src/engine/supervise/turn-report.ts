/** Tells a run what a turn of it used, as soon as the turn is over: once for each turn, however it ended. */

import type { TurnCost, TurnReport } from "../../core/model/event.ts";
import { estimateOf } from "../../format/settings/prices.ts";
import type { Works } from "../box.ts";
import type { TurnLog } from "../ports/drivers.ts";
import type { Process } from "../ports/process.ts";
import type { JobRow } from "../ports/registry.ts";
import { projectAfter } from "../submit/project.ts";
import { submit } from "../submit/submit.ts";
import { turnOf } from "../agents/job-id.ts";

/** Safe to repeat: the first report counts. `process` is how the turn ended, where that is known. */
export async function reportTurn(works: Works, job: JobRow, process?: Process): Promise<TurnReport> {
  const { run, role, slot, attempt } = job;
  const log = works.drivers.report(await turnsUpTo(works, job));
  const { cost: _, endedAt, ...known } = log;
  const cost = await costOf(works, run, log);
  const report: TurnReport = {
    ...known,
    ...(cost === undefined ? {} : { cost }),
    ms: Math.max(0, Math.round((endedAt ?? works.clock.now()) - job.startedAt)),
    end: endOf(job, process),
  };
  const submitted = await submit(works, {
    run,
    by: { type: "engine" },
    key: `reported:${job.id}`,
    facts: {},
    event: ({ at }) => ({ type: "turn-reported", at, role, slot, attempt, turn: turnOf(job), ...report }),
  });
  if (submitted.type === "accepted") await projectAfter(works, submitted, run);
  return report;
}

/** The folders of this turn and of the earlier ones of its role, in order: a later attempt may continue the conversation of an earlier one. */
async function turnsUpTo({ store }: Works, job: JobRow): Promise<readonly string[]> {
  const { role, slot } = job;
  return (await store.jobs({ run: job.run }))
    .filter((other) => other.kind === "turn" && other.role === role && other.slot === slot)
    .filter((other) => inOrder(other, job) <= 0)
    .toSorted(inOrder)
    .map(({ dir }) => dir);
}

function inOrder(a: JobRow, b: JobRow): number {
  return a.attempt === b.attempt ? turnOf(a) - turnOf(b) : a.attempt - b.attempt;
}

/** What the program says, else the tokens at the price of its model; undefined where neither is known. */
async function costOf(
  works: Works,
  run: string,
  { cost, usage, model }: TurnLog,
): Promise<TurnCost | undefined> {
  if (cost !== undefined) return { usd: cost, basis: "reported" };
  const repo = (await works.store.load(run))?.row.repo;
  if (usage === undefined || repo === undefined) return undefined;
  try {
    const usd = estimateOf((await works.settings(repo)).prices, model, usage);
    return usd === undefined ? undefined : { usd, basis: "estimated" };
  } catch (error) {
    // Settings that cannot be read are for the next start to report: this turn is over, at a cost that is not known.
    works.log(
      `the cost of a turn of ${run} is not known: ${error instanceof Error ? error.message : String(error)}`,
    );
    return undefined;
  }
}

const SIGNALLED = 128;

function endOf({ killed }: JobRow, process: Process | undefined): TurnReport["end"] {
  if (killed !== "") return killed;
  if (process?.type !== "ended") return "lost";
  // The shell tells a death by signal as a number above this.
  return process.code > SIGNALLED ? "killed" : "exited";
}
