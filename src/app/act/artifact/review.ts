/** A review in fields becomes the artifact that the definition asks for, and is submitted as that. */

import { UserError } from "../../../adapters/user-error.ts";
import { ownArtifact } from "../../../core/gates/shape-of-run.ts";
import { reviewsIn } from "../../../core/explain/review-policy.ts";
import { blockOf } from "../../../core/gates/artifact-status.ts";
import { makeReview, reviewShape } from "../../../format/review/review.ts";
import { eventKey, runOf, type Acting } from "../../context.ts";
import { EXIT_GATE, EXIT_NOT_YOURS } from "../../exit-codes.ts";
import type { InputOf } from "../../schemas.ts";
import type { Outcome } from "../../outcome.ts";
import { requireKept } from "../../runs/load.ts";
import { textOfGiven } from "../../text-input.ts";
import type { Acknowledgement } from "../acknowledged.ts";
import { handIn, unknownArtifact } from "./submit.ts";

const HELP = "signalbox review create --help";

export async function createReview(
  on: Acting,
  { run: word, artifact, file, key }: InputOf<"review-create">,
): Promise<Outcome<Acknowledgement>> {
  const run = await runOf(on, word);
  const name = artifact ?? (await reviewMeant(on, run));
  const text = (): Promise<string> => textOf(on, { run, name, said: parsed(textOfGiven(file), file.name) });
  return handIn(on, { run, artifact: name, key: eventKey(on, key), text });
}

/** The one that whoever asks writes now; where it is somebody else's to write, that is what the refusal says. */
async function reviewMeant(on: Acting, run: string): Promise<string> {
  const { row, run: now } = await requireKept(on, run);
  const { definition } = await on.box.workflow(row.definition);
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

type Artifacts = Awaited<ReturnType<Acting["box"]["workflow"]>>["definition"]["artifacts"];

function isReview(artifacts: Artifacts, name: string): boolean {
  const artifact = artifacts[name];
  return artifact !== undefined && reviewShape(artifact) !== undefined;
}

async function textOf(
  { box }: Acting,
  of: { readonly run: string; readonly name: string; readonly said: unknown },
): Promise<string> {
  const kept = await box.store.load(of.run);
  const artifacts = kept === undefined ? {} : (await box.workflow(kept.row.definition)).definition.artifacts;
  const artifact = artifacts[of.name];
  if (kept === undefined || artifact === undefined) throw unknownArtifact(of.name, Object.keys(artifacts));
  const made = makeReview(ownArtifact(kept.run.params, artifact), of.said, blockOf(kept.run, artifact));
  if (made.ok) return made.text;
  throw new UserError("invalid-review", `this is no review that counts: ${made.reason}`, {
    next: `fix it, then submit it again`,
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
