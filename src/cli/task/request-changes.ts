/**
 * `signalbox task request-changes`: a person sends a task back to its worker.
 *
 * What is to be changed stands in the section that the workflow has for it, with its time, before the move is asked for: whoever is
 * told about the move finds it there. What an earlier request said goes to the history.
 */

import { runAround } from "../../app/runs/find.ts";
import { join } from "node:path";
import { requirePerson } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { failpoint } from "../../adapters/failpoint.ts";
import { targetOf } from "../../core/gate.ts";
import { finished } from "../../core/refuse.ts";
import { placeOf } from "../../engine/place.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import { acted } from "../acted.ts";
import { acting, answeredBefore, requireWorkspace, type Acting } from "../../app/context.ts";
import { EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { textIn } from "../../app/text-input.ts";
import { requireKept } from "../../app/runs/load.ts";
import { moveTo } from "../../app/act/move.ts";
import { sendingBack, throughTo } from "../../app/view/task-choices.ts";
import { refusal } from "../../app/refusal.ts";
import { sayUtc } from "../../app/view/words.ts";
import { OF_PROJECT, taskOf } from "./which.ts";

/** The artifact that holds what a person wants changed. */
const WISHES = "fix_instructions";
const NOTE_MAX = 2000;

export const command: Command = {
  usage: "[TASK] [TEXT | -] [--key KEY]",
  about:
    "Sends a task that is in reviewing or stuck back to its worker. TEXT, or what stands on the standard input with -, is put into the section\nFix Instructions of TASK.md, and the worker is told. It opens a new cycle of reviews. Only people can do this.",
  words: { min: 0, max: 2 },
  options: {
    ...OF_PROJECT,
    key: { takes: "KEY", about: "the same key twice asks once, and gives the same answer" },
  },
  examples: [
    'signalbox task request-changes k3d9 "Also handle leap years"',
    "signalbox task request-changes k3d9 - < notes.md",
  ],
  answer: ({ words, options: { project, key } }, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const { run, text: given } = meantBy(on, words, project);
      if (answeredBefore(on, run, key) !== undefined) return acted(await moveTo(on, { run, to: "", key }));
      const kept = await leadOut(on, requireKept(on, run));
      const to = backFrom(on, kept);
      await requireWorkspace(on, run);
      const text = (given === "-" ? textIn(door.cwd, "-") : given).trim();
      const told = text === "" ? [] : await put(on, kept, text);
      const done = await moveTo(on, { run, to, from: kept.run.state, note: noteOf(text), key });
      return acted({ ...done, told: [...told, ...done.told] }, "changes are requested");
    }),
};

/** One word is the task, unless no task is called that and we are in one. */
function meantBy(
  on: Acting,
  [first, second]: readonly string[],
  project: string | undefined,
): { run: string; text: string } {
  if (first === undefined || second !== undefined)
    return { run: taskOf(on, first, project), text: second ?? "" };
  try {
    return { run: taskOf(on, first, project), text: "" };
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "unknown-run") throw error;
    const here = runAround(on.box.store, on.door);
    if (here === undefined) throw error;
    return { run: here, text: first };
  }
}

/** A stuck task is led out first: from there no request leads back at once. Killed in between, the same request goes on from there. */
async function leadOut(on: Acting, kept: Kept): Promise<Kept> {
  const { row, run } = kept;
  const move = throughTo({ workflow: on.box.workflow(row.definition), run });
  if (move === undefined) return kept;
  await moveTo(on, { run: run.id, to: targetOf(run, move), from: run.state, note: "to send it back" });
  return requireKept(on, run.id);
}

/** Where the request leads. */
function backFrom(on: Acting, { row, run }: Kept): string {
  const workflow = on.box.workflow(row.definition);
  if (workflow.definition.states[run.state]?.final !== undefined) throw refusal(finished(run));
  const move = sendingBack({ workflow, run });
  if (move !== undefined) return targetOf(run, move);
  throw new UserError("not-in-map", `${run.id} is ${run.state}, where no changes can be requested`, {
    next: `signalbox next ${run.id}`,
    exit: EXIT_NOT_YOURS,
  });
}

async function put(on: Acting, { row, run }: Kept, text: string): Promise<readonly string[]> {
  const { box } = on;
  const workflow = box.workflow(row.definition);
  if (!Object.hasOwn(workflow.definition.artifacts, WISHES)) return [];
  const place = placeOf(box, { run, workflow, id: row.id });
  const now = new Date(box.clock.now()).toISOString();
  const into = join(box.folders(row.id).archive, `${WISHES}-${run.seq}`);
  failpoint("request-changes.before-archive");
  const archived = await box.artifacts.archive(place, { artifacts: [WISHES], into });
  failpoint("request-changes.after-archive");
  const written = await box.artifacts.put(place, {
    artifact: WISHES,
    slot: "",
    text: `${sayUtc(now)}\n\n${text}\n`,
  });
  failpoint("request-changes.after-put");
  return [...archived, ...written];
}

function noteOf(text: string): string | undefined {
  if (text === "") return undefined;
  return text.length > NOTE_MAX ? `${text.slice(0, NOTE_MAX)}...` : text;
}
