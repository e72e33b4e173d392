/** The first event of a run: it is born with the files that are there. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Actor, Incoming } from "../../core/model/event.ts";
import { NO_RUN } from "../../core/model/run.ts";
import { step } from "../../core/step/step.ts";
import { readBesides } from "./work-without.ts";
import type { Box } from "../box.ts";
import { withTexts } from "./collect.ts";
import { reservable } from "./facts.ts";
import type { Birth } from "../ports/journal.ts";
import { showTexts } from "./show-texts.ts";
import { knownAnswer, write, type Request, type Submission } from "./write.ts";

export type Start = {
  readonly run: string;
  readonly by: Actor;
  readonly workflow: Workflow;
  readonly birth: Birth;
  readonly params: Extract<Incoming, { type: "run-started" }>["params"];
  readonly to?: string;
  /** The digest of the work that it begins with: what a person says of it is about that. */
  readonly tree?: string;
  readonly key?: string;
  readonly prove?: Request["prove"];
  /** What it is pinned to: `engine/pins`. */
  readonly pin?: string | undefined;
  /** Texts that the run begins with. */
  readonly texts?: Request["texts"];
};

/** Begins a run. A second try with the same id and key gives the same answer. */
export async function begin(box: Box, start: Start): Promise<Submission> {
  const { run: id, workflow } = start;
  const known = await knownAnswer(box, start);
  if (known !== undefined) return known;
  const run = { ...NO_RUN, id, params: start.params };
  // In place, its files are in the checkout from the beginning.
  const { repo: root } = start.birth;
  const place = workflow.isInPlace
    ? { root, run, workflow, isWorkspace: true }
    : { root: box.folders(id).files, run, workflow };
  const { texts: given = [] } = start;
  const collected = await box.artifacts.collect(place, given);
  const besides =
    workflow.isInPlace && start.tree !== undefined
      ? await readBesides(box, { run, workflow, path: root, tree: start.tree })
      : [];
  const at = new Date(box.clock.now()).toISOString();
  const started: Incoming = {
    type: "run-started",
    by: start.by,
    at,
    run: id,
    definition: workflow.hash(),
    params: start.params,
    readings: [...collected.readings, ...besides],
    ...(await reservable(box, workflow, { id, repo: root })),
    ...(start.to === undefined ? {} : { to: start.to }),
    ...(start.tree === undefined ? {} : { tree: start.tree }),
  };
  const { event, texts } = await withTexts(started, { run: NO_RUN, collected, given });
  const decided = step(workflow, NO_RUN, event);
  if (!decided.ok) return { type: "refused", run: NO_RUN, refusal: decided.refusal };
  const request = {
    run: id,
    by: start.by,
    event: () => event,
    texts: given,
    ...(start.key === undefined ? {} : { key: start.key }),
    ...(start.prove === undefined ? {} : { prove: start.prove }),
  };
  const { birth } = start;
  const written = await write(box, {
    request,
    event,
    at,
    workflow,
    before: NO_RUN,
    head: "",
    decided,
    birth,
    pin: start.pin,
    repo: root,
    workspace: await box.store.boundWorkspace(id),
    texts,
  });
  if (written?.type === "accepted" && given.length > 0) {
    const kept = await box.store.load(id);
    if (kept !== undefined) await showTexts(box, kept);
  }
  return written ?? { type: "conflict", run: NO_RUN, message: `there is a run ${id} already` };
}
