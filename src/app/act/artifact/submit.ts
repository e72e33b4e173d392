/**
 * Handing in an artifact: for `submit`, and for everything that is one by another name.
 *
 * Of everything that is read, only the artifact that is named and the work go into the event: a submission is about what
 * its author hands in, and what somebody else is writing at the same moment is not.
 */

import { UserError } from "../../../adapters/user-error.ts";
import { closest } from "../../../core/text/closest.ts";
import type { Actor, Incoming } from "../../../core/model/event.ts";
import { nameOf } from "../../../core/step/intake.ts";
import { notYourRole } from "../../../core/step/refuse.ts";
import type { ArtifactText } from "../../../engine/ports/files.ts";
import type { Kept } from "../../../engine/ports/journal.ts";
import { ask, doneBefore, eventKey, runOf, voiceOf, type Acting, type Known } from "../../context.ts";
import { EXIT_GATE } from "../../exit-codes.ts";
import type { Outcome } from "../../outcome.ts";
import { acknowledge, type Acknowledgement } from "../acknowledged.ts";
import { requireKept } from "../../runs/load.ts";
import { lateAgent, refuseLate } from "../run/late.ts";
import { refusal } from "../../refusal.ts";
import { textOfGiven } from "../../text-input.ts";
import type { InputOf } from "../../schemas.ts";

const HELP = "signalbox submit --help";

export type HandingIn = {
  readonly run: string;
  readonly artifact: string;
  readonly key?: string | undefined;
  /** Called once the caller may submit. Without it, the existing file is submitted. */
  readonly text?: (() => string | Promise<string>) | undefined;
};

export async function submitArtifact(
  on: Acting,
  input: InputOf<"submit">,
): Promise<Outcome<Acknowledgement>> {
  const { content } = input;
  const given = content === undefined ? input : { ...input, file: { name: "-", text: content } };
  const { run, artifact, file } = await meantBy(on, given);
  const text = file === undefined ? undefined : (): string => textOfGiven(file);
  return handIn(on, { run, artifact, key: eventKey(on, input.key), text });
}

type Meant = Pick<InputOf<"submit">, "artifact" | "file"> & { readonly run: string };

/** Two words are a run and its artifact, unless the first is an artifact of the run that the caller is in. */
async function meantBy(on: Acting, { run, artifact, file, either }: InputOf<"submit">): Promise<Meant> {
  if (either !== true || file === undefined) return { run: await runOf(on, run), artifact, file };
  const here = await runHere(on);
  if (here !== undefined && Object.hasOwn(await artifactsOf(on, here), artifact))
    return { run: here, artifact, file };
  return { run: await runOf(on, artifact), artifact: file.name, file: undefined };
}

async function runHere(on: Acting): Promise<string | undefined> {
  try {
    return await runOf(on, undefined);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

async function artifactsOf(on: Acting, run: string): Promise<Readonly<Record<string, unknown>>> {
  return (await on.box.workflow((await requireKept(on, run)).row.definition)).definition.artifacts;
}

export async function handIn(
  on: Acting,
  { run, artifact, key, text }: HandingIn,
): Promise<Outcome<Acknowledgement>> {
  const kept = await requireKept(on, run);
  const voice = await voiceOf(on, run);
  const own = { artifact, slot: await slotOf(on, kept, { artifact, by: voice.by }) };
  // Its file may be archived by now.
  const known = await doneBefore(on, run, key);
  if (known !== undefined) return acknowledge(known, `${artifact} counts`);
  const submitted = text === undefined ? undefined : await textFor(on, kept, { ...own, text, by: voice.by });
  const done = await ask(on, {
    run,
    voice,
    texts: submitted === undefined ? [] : [submitted],
    ...(key === undefined ? {} : { key }),
    event: (facts, by) => eventOf(own, facts, by),
  });
  return acknowledge(done, `${artifact} counts`);
}

/** Refused before anything is written over: a file of somebody else must stay as it is. */
async function slotOf(
  { box }: Acting,
  { row, run }: Kept,
  of: { readonly artifact: string; readonly by: Actor },
): Promise<string> {
  const { definition } = await box.workflow(row.definition);
  const declared = Object.hasOwn(definition.artifacts, of.artifact)
    ? definition.artifacts[of.artifact]
    : undefined;
  if (declared === undefined) throw unknownArtifact(of.artifact, Object.keys(definition.artifacts));
  const who = nameOf(of.by);
  if (!declared.by.includes(who))
    throw refusal(notYourRole(run, { who, what: `submitting ${of.artifact}`, allowed: declared.by }));
  return declared.each === undefined || of.by.type !== "agent" ? "" : of.by.slot;
}

/** The text, read to its end: nothing is written before its event. */
async function textFor(
  { box }: Acting,
  { row, run }: Kept,
  of: { readonly artifact: string; readonly slot: string; readonly by: Actor } & Required<
    Pick<HandingIn, "text">
  >,
): Promise<ArtifactText | undefined> {
  const { definition } = await box.workflow(row.definition);
  const { artifact, slot } = of;
  if (of.text === undefined || definition.states[run.state]?.final !== undefined) return undefined;
  if ((definition.artifacts[artifact]?.file ?? "") === "")
    throw new UserError("bad-usage", `${artifact} has no file that a text could be put into`, HELP);
  const text = await of.text();
  const late = lateAgent(run, of.by);
  if (late !== undefined) await refuseLate(box, run, { agent: late, artifact, text });
  return { artifact, slot, text };
}

function eventOf(
  own: { readonly artifact: string; readonly slot: string },
  { kept: { row }, readings = [], ...known }: Known,
  by: Actor,
): Extract<Incoming, { type: "submitted" }> {
  const reading = readings.find(({ artifact, slot }) => artifact === own.artifact && slot === own.slot);
  if (reading === undefined) {
    throw new UserError("gate-not-met", `${own.artifact} is missing`, {
      next: `write it, then: signalbox submit ${row.id} ${own.artifact}`,
      exit: EXIT_GATE,
    });
  }
  return { type: "submitted", by, ...known, readings: [reading] };
}

export function unknownArtifact(name: string, known: readonly string[], help = HELP): UserError {
  const near = closest(name, known);
  const hint = near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-artifact", `there is no artifact "${name}"${hint}`, help);
}
