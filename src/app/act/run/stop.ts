/**
 * Halts a run: nothing is done for it until it is resumed.
 *
 * In a stage, agents at work finish first: the cost of the phase so far would be lost. Everywhere else, and with `now`, the
 * supervisor ends the agents.
 */

import { failpoint } from "../../../adapters/failpoint.ts";
import { finished } from "../../../core/step/refuse.ts";
import { descendantsOf } from "../../../engine/tasks/descendants.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { nameInNote, runOf, seeThrough, type Acting } from "../../context.ts";
import { EXIT_OK } from "../../exit-codes.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import type { Outcome } from "../../outcome.ts";
import { refusal } from "../../refusal.ts";
import { isFinished } from "../../runs/find.ts";
import { requireKept } from "../../runs/load.ts";

type StopData = DataOf<"stop">;

export async function stop(on: Acting, { run: word, now }: InputOf<"stop">): Promise<Outcome<StopData>> {
  const id = await runOf(on, word);
  const { row, run } = await requireKept(on, id);
  if (isFinished(row)) throw refusal(finished(run));
  const { store, clock } = on.box;
  const { states } = (await on.box.workflow(row.definition)).definition;
  const isHeld = !now && states[run.state]?.stage !== undefined;
  const isEnded = row.halted && (await store.marks(id))?.halted !== "held";
  const changed = !row.halted || (!isHeld && !isEnded);
  const mark = isHeld && !isEnded ? "held" : true;
  failpoint("stop.before-halt");
  const at = new Date(clock.now()).toISOString();
  const name = await nameInNote(on, id);
  const text = `${name} halted the run${mark === "held" ? ", after what is at work" : ""}`;
  const family = [id, ...(await descendantsOf(store, id))];
  await store.commit([
    ...family.map((each) => ({ type: "halt", run: each, halted: mark }) as const),
    ...(changed ? [{ type: "note", note: { run: id, at, kind: "halted", text } } as const] : []),
  ]);
  failpoint("stop.after-halt");
  await seeThrough(on, id);
  const waitsFor = (await store.marks(id))?.halted === "held" ? await atWork(store, id) : [];
  return outcomeOf({ run: id, state: row.state, halted: true, changed, waitsFor });
}

/** Roles, and checks by their artifact, of the run and of those made of it. */
async function atWork(store: Store, id: string): Promise<string[]> {
  const jobs = (
    await Promise.all(
      [id, ...(await descendantsOf(store, id))].map((run) => store.jobs({ run, status: "live" })),
    )
  ).flat();
  return [...new Set(jobs.map(({ role, artifact }) => (role === "" ? artifact : role)))];
}

function outcomeOf(data: StopData): Outcome<StopData> {
  const { run, state, changed, waitsFor } = data;
  const when = waitsFor.length === 0 ? "" : `, when this is done: ${waitsFor.join(", ")}`;
  const message = changed ? `${run} is halted in ${state}${when}` : `${run} is halted already${when}`;
  return { exit: EXIT_OK, code: "ok", message, data, next: `signalbox resume ${run}`, notes: [] };
}
