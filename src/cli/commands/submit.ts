/**
 * `signalbox submit`: hands in one artifact, which counts at once or is refused with what is wrong.
 *
 * Of everything that is read, only the artifact that is named and the work go into the event: a submission is about what
 * its author hands in, and what somebody else is writing at the same moment is not.
 */

import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/closest.ts";
import type { Actor, Incoming } from "../../core/event.ts";
import { nameOf } from "../../core/intake.ts";
import { notYourRole } from "../../core/refuse.ts";
import { placeOf } from "../../engine/place.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import { acted } from "../acted.ts";
import { acting, ask, runOf, voiceOf, type Acting, type Known, answeredBefore } from "../acting.ts";
import { EXIT_GATE, type Answer, type Command } from "../command.ts";
import { textGiven } from "../input.ts";
import { lateAgent, refuseLate } from "../late.ts";
import { refusal } from "../refused.ts";
import { requireKept } from "../kept.ts";

const HELP = "signalbox submit --help";

export const command: Command = {
  usage: "[RUN] ARTIFACT [FILE | -] [--key KEY]",
  about:
    "Hands in an artifact. It is read at this moment, where the workflow has it; with FILE or - (standard input), its text is put there first.\nIn a workspace, RUN may be left out.",
  words: { min: 1, max: 3 },
  options: { key: { takes: "KEY", about: "the same key twice submits once, and gives the same answer" } },
  examples: ["signalbox submit review", "signalbox submit k3d9 plan plan.md"],
  answer: ({ words, options: { key } }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const meant = meantBy(on, words);
      const kept = requireKept(on, meant.run);
      const voice = await voiceOf(on, meant.run);
      const own = {
        artifact: meant.artifact,
        slot: slotOf(on, kept, { artifact: meant.artifact, by: voice.by }),
      };
      const known = answeredBefore(on, meant.run, key);
      const told =
        meant.file === undefined || known !== undefined
          ? []
          : await put(on, kept, { ...own, file: meant.file, by: voice.by });
      const done = await ask(on, {
        run: meant.run,
        voice,
        ...(key === undefined ? {} : { key }),
        event: (facts, by) => ({
          ...eventOf(own, facts, by),
          ...(meant.file === undefined ? {} : { given: true }),
        }),
      });
      return acted({ ...done, told: [...told, ...done.told] }, `${meant.artifact} counts`);
    }),
};

type Meant = { readonly run: string; readonly artifact: string; readonly file: string | undefined };

/** Two words are a run and its artifact, unless the first is an artifact of the run that we are in. */
function meantBy(on: Acting, words: readonly string[]): Meant {
  const [first = "", second, third] = words;
  if (third !== undefined && second !== undefined)
    return { run: runOf(on, first), artifact: second, file: third };
  if (second === undefined) return { run: runOf(on, undefined), artifact: first, file: undefined };
  const here = runHere(on);
  if (here !== undefined && Object.hasOwn(artifactsOf(on, here), first))
    return { run: here, artifact: first, file: second };
  return { run: runOf(on, first), artifact: second, file: undefined };
}

function runHere(on: Acting): string | undefined {
  try {
    return runOf(on, undefined);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function artifactsOf(on: Acting, run: string): Readonly<Record<string, unknown>> {
  return on.box.workflow(requireKept(on, run).row.definition).definition.artifacts;
}

/** Refused before anything is written over: a file of somebody else must stay as it is. */
function slotOf(
  { box }: Acting,
  { row, run }: Kept,
  of: { readonly artifact: string; readonly by: Actor },
): string {
  const { definition } = box.workflow(row.definition);
  const declared = Object.hasOwn(definition.artifacts, of.artifact)
    ? definition.artifacts[of.artifact]
    : undefined;
  if (declared === undefined) throw unknownArtifact(of.artifact, Object.keys(definition.artifacts));
  const who = nameOf(of.by);
  if (!declared.by.includes(who))
    throw refusal(notYourRole(run, { who, what: `submitting ${of.artifact}`, allowed: declared.by }));
  return declared.each === undefined || of.by.type !== "agent" ? "" : of.by.slot;
}

async function put(
  { box, door }: Acting,
  { row, run }: Kept,
  of: { readonly artifact: string; readonly slot: string; readonly file: string; readonly by: Actor },
): Promise<readonly string[]> {
  const workflow = box.workflow(row.definition);
  const { artifact, slot, file } = of;
  if (workflow.definition.states[run.state]?.final !== undefined) return [];
  if ((workflow.definition.artifacts[artifact]?.file ?? "") === "")
    throw new UserError("bad-usage", `${artifact} has no file that a text could be put into`, HELP);
  const text = await textGiven(door, file);
  // After the text was read, which may take as long as its author likes.
  const now = box.store.load(run.id)?.run ?? run;
  const late = lateAgent(now, of.by);
  if (late !== undefined) refuseLate(box, now, { agent: late, artifact, text });
  return box.artifacts.put(placeOf(box, { run: now, workflow, id: row.id }), { artifact, slot, text });
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

export function unknownArtifact(name: string, known: readonly string[]): UserError {
  const near = closest(name, known);
  const hint = near === undefined ? `; there are ${known.join(", ")}` : `; did you mean "${near}"?`;
  return new UserError("unknown-artifact", `there is no artifact "${name}"${hint}`, HELP);
}
