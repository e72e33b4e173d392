/** Asking for a move: for `move`, and for everything that is one by another name. */

import type { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import { fillPath } from "../../core/text/fill-path.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import { noteAll } from "../../engine/notes.ts";
import type { Submission } from "../../engine/submit/write.ts";
import { ask, eventKey, runOf, type Acting, type Asked, type Done, type Voice } from "../context.ts";
import type { Outcome } from "../outcome.ts";
import type { InputOf } from "../schemas.ts";
import { acknowledge, type Acknowledgement } from "./acknowledged.ts";
import { conflict } from "../refusal.ts";
import { sayWaived } from "./artifact/waived.ts";

export type Moving = {
  readonly run: string;
  readonly to: string;
  /** States on the way to it: all moves are taken in one event, or none. */
  readonly through?: readonly string[] | undefined;
  readonly note?: string | undefined;
  readonly key?: string | undefined;
  readonly seq?: number | undefined;
  readonly from?: string | undefined;
  /** The entry of its state in which the run was looked at. */
  readonly entry?: number | undefined;
  readonly voice?: Voice;
  /** Texts that come with the move. */
  readonly texts?: Asked["texts"];
};

export async function askForMove(on: Acting, input: InputOf<"move">): Promise<Outcome<Acknowledgement>> {
  const { run: word, to, note, from, seq } = input;
  const key = eventKey(on, input.key);
  return acknowledge(await moveTo(on, { run: await runOf(on, word), to, note, key, from, seq }));
}

export async function moveTo(on: Acting, moving: Moving): Promise<Done> {
  const { run, to, through = [], note, key, seq, from, entry, voice, texts = [] } = moving;
  const done = await ask(on, {
    run,
    texts,
    event: ({ kept: _kept, ...known }, by) => ({
      type: "move-asked",
      by,
      to,
      ...(through.length === 0 ? {} : { through }),
      ...(note === undefined ? {} : { note }),
      ...known,
    }),
    ...(key === undefined ? {} : { key }),
    expected: {
      ...(seq === undefined ? {} : { seq }),
      ...(from === undefined ? {} : { state: from }),
      ...(entry === undefined ? {} : { entry }),
    },
    ...(voice === undefined ? {} : { voice }),
    isEnd: await isEndFor(on, run, to),
    refusedAs: (refused) => alreadyThere(refused, to),
  });
  return { ...done, told: [...(await notesOn(on, done)), ...done.told] };
}

/** A person should know what they answer for by the move, and what it does not do although the verb does. */
async function notesOn({ box }: Acting, { run, to, accepted }: Done): Promise<readonly string[]> {
  if (accepted === undefined) return [];
  const workflow = await box.workflow(accepted.run.definition);
  const given = accepted.events.flatMap((event) => (event.type === "move-asked" ? (event.given ?? []) : []));
  const taken = accepted.events.flatMap((event) =>
    event.type === "artifact-read" && event.by === "human"
      ? takenAsTheirs(workflow, accepted.before, { reading: event.reading, given })
      : [],
  );
  const inHistory = taken.map(({ what }) => `${what}: the move to ${to} submitted it as a person's`);
  await noteAll(box, { run }, inHistory);
  const others = accepted.events.flatMap((event) => {
    if (event.type === "waiver-given") return [sayWaived(workflow, accepted.before, event.artifact)];
    const mark = event.type === "moved" ? workflow.definition.moves[event.rule]?.mark : undefined;
    return mark?.deliver === true && event.type === "moved" && event.by === "human"
      ? [`nothing was merged: signalbox accept ${run} delivers the work`]
      : [];
  });
  return [...taken.map(({ what, since }) => `taken as yours: ${what}, ${since}`), ...others];
}

/** A text that a person takes with a move, and what is true of it until then. */
type TakenText = { readonly what: string; readonly since: string };

/** A text that nobody has submitted as it is becomes the person's with the move, and the person is told. */
function takenAsTheirs(
  { definition }: Workflow,
  before: Run,
  { reading, given }: { readonly reading: Reading; readonly given: readonly string[] },
): readonly TakenText[] {
  const key = slotKey(reading.artifact, reading.slot);
  const held = before.held[key];
  if (held === undefined || reading.digest === "" || given.includes(key)) return [];
  const { by = [], file = "", reader } = definition.artifacts[reading.artifact] ?? {};
  const isForeign = !by.includes(held.by);
  if (!isForeign && held.reading.digest === reading.digest) return [];
  const known = isForeign ? held.accepted : { by: held.by, digest: held.reading.digest };
  // A missing text, too, is read from whoever moves the run: nothing was accepted from them.
  const from = known?.digest === "" ? undefined : known?.by;
  const since =
    from === undefined
      ? "which nobody had submitted"
      : `changed since it was accepted from ${from === "human" ? "you" : from}`;
  const where = fillPath(before, file, "*");
  // Several texts share such a file: the person must know which of them is meant.
  const what = reader?.type === "section" ? `${reading.artifact} in ${where}` : where;
  return [{ what, since }];
}

async function isEndFor({ who, box }: Acting, run: string, to: string): Promise<boolean> {
  const definition = (await box.store.load(run))?.row.definition;
  if (who.type !== "person" || definition === undefined) return false;
  return (await box.workflow(definition)).definition.states[to]?.final !== undefined;
}

/** Of two who ask for one move, the second finds the run where it wanted it, and by another hand. */
function alreadyThere(
  { run, refusal }: Extract<Submission, { type: "refused" }>,
  to: string,
): UserError | undefined {
  if (run.state !== to || (refusal.code !== "not-in-map" && refusal.code !== "finished")) return undefined;
  return conflict(run.id, `run ${run.id} is in ${to} already: somebody was faster`);
}
