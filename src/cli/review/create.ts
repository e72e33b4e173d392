/** `signalbox review create`: a review in fields, which becomes the artifact that the definition asks for and is handed in as that. */

import { UserError } from "../../adapters/user-error.ts";
import { ownArtifact } from "../../core/own-shape.ts";
import { reviewsIn } from "../../core/policy.ts";
import { blockOf } from "../../core/standing.ts";
import { makeReview, reviewShape } from "../../format/review.ts";
import { acting, runOf, type Acting } from "../../app/context.ts";
import { EXIT_GATE, EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Answer, Command } from "../command.ts";
import { answerOf } from "../acted.ts";
import { handIn, unknownArtifact } from "../../app/act/submit.ts";
import { textGiven } from "../../app/text-input.ts";
import { requireKept } from "../../app/runs/load.ts";

const HELP = "signalbox review create --help";

export const command: Command = {
  usage: "[RUN] (FILE | -) [--artifact NAME] [--key KEY]",
  about: [
    "Hands in a review as one JSON object: `verdict`, and what else the review of this workflow has (a summary, issues with their severity).",
    "It is written to where the workflow has it, as `signalbox submit` does. What does not fit, or does not agree with itself, is refused before anything is written.",
    "In a workspace, RUN may be left out.",
  ].join("\n"),
  words: { min: 1, max: 2 },
  options: {
    artifact: { takes: "NAME", about: "which review, where there are several" },
    key: { takes: "KEY", about: "the same key twice submits once, and gives the same answer" },
  },
  examples: ["signalbox review create review.json", "signalbox review create k3d9 - < review.json"],
  answer: ({ words, options: { artifact, key } }, door): Promise<Answer> =>
    acting(door, async (on) => {
      const file = words.at(-1) ?? "-";
      const run = runOf(on, words.length > 1 ? words[0] : undefined);
      const name = artifact ?? reviewMeant(on, run);
      const text = async (): Promise<string> =>
        textOf(on, { run, name, said: parsed(await textGiven(door, file), file) });
      return answerOf(await handIn(on, { run, artifact: name, key, text }));
    }),
};

/** The one that whoever asks writes now; where it is somebody else's to write, that is what the refusal says. */
function reviewMeant(on: Acting, run: string): string {
  const { row, run: now } = requireKept(on, run);
  const { definition } = on.box.workflow(row.definition);
  const role = on.who.type === "agent" ? on.who.actor.role : "human";
  const all = Object.keys(definition.artifacts).filter((name) => isReview(definition.artifacts, name));
  const own = all.filter((name) => definition.artifacts[name]?.by.includes(role) === true);
  const here = Object.keys(definition.roles).flatMap((each) => reviewsIn(definition, each, now.state));
  const found = [own.filter((name) => here.includes(name)), own, here, all].find((list) => list.length > 0);
  const [first, second] = [...new Set(found)];
  if (first === undefined)
    throw new UserError("no-review", `the workflow of run ${run} has no review`, {
      next: `signalbox next ${run}`,
      exit: EXIT_NOT_YOURS,
    });
  if (second === undefined || own.length === 0) return first;
  throw new UserError("bad-usage", `say which review: --artifact ${[...new Set(found)].join(" or ")}`, HELP);
}

type Artifacts = ReturnType<Acting["box"]["workflow"]>["definition"]["artifacts"];

function isReview(artifacts: Artifacts, name: string): boolean {
  const artifact = artifacts[name];
  return artifact !== undefined && reviewShape(artifact) !== undefined;
}

function textOf(
  { box }: Acting,
  of: { readonly run: string; readonly name: string; readonly said: unknown },
): string {
  const kept = box.store.load(of.run);
  const artifacts = kept === undefined ? {} : box.workflow(kept.row.definition).definition.artifacts;
  const artifact = artifacts[of.name];
  if (kept === undefined || artifact === undefined) throw unknownArtifact(of.name, Object.keys(artifacts));
  const made = makeReview(ownArtifact(kept.run.params, artifact), of.said, blockOf(kept.run, artifact));
  if (made.ok) return made.text;
  throw new UserError("invalid-review", `this is no review that counts: ${made.reason}`, {
    next: `mend it, then hand it in again`,
    exit: EXIT_GATE,
  });
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const name = file === "-" ? "the standard input" : file;
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError("invalid-review", `${name} is no JSON: ${reason}`, {
      next: "give one JSON object with a verdict",
      exit: EXIT_GATE,
    });
  }
}
