/** The first event of a run: it is born with the files that are there. */

import type { Workflow } from "../../core/model/compile.ts";
import type { Actor, Incoming, Reading } from "../../core/model/event.ts";
import { NO_RUN } from "../../core/model/run.ts";
import { step } from "../../core/step/step.ts";
import { readBesides } from "./work-without.ts";
import type { Box } from "../box.ts";
import { reservable } from "./facts.ts";
import type { Birth } from "../ports/journal.ts";
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
};

/** Begins a run. A second try with the same id and key gives the same answer. */
export async function begin(box: Box, start: Start): Promise<Submission> {
  const { run: id, workflow } = start;
  const known = knownAnswer(box, start);
  if (known !== undefined) return known;
  const run = { ...NO_RUN, id, params: start.params };
  // In place, its files are in the checkout from the beginning.
  const { repo: root } = start.birth;
  const place = workflow.isInPlace
    ? { root, run, workflow, isWorkspace: true }
    : { root: box.folders(id).files, run, workflow };
  const readings = await box.artifacts.read(place);
  const besides =
    workflow.isInPlace && start.tree !== undefined
      ? await readBesides(box, { run, workflow, path: root, tree: start.tree })
      : [];
  return box.store.together(() => beginNow(box, start, [...readings, ...besides]));
}

function beginNow(box: Box, start: Start, readings: readonly Reading[]): Submission {
  const { run: id, by, workflow, birth, params, to } = start;
  box.store.define(workflow.hash(), workflow.definition);
  const at = new Date(box.clock.now()).toISOString();
  const event: Incoming = {
    type: "run-started",
    by,
    at,
    run: id,
    definition: workflow.hash(),
    params,
    readings,
    ...reservable(box, workflow, { id, repo: birth.repo }),
    ...(to === undefined ? {} : { to }),
    ...(start.tree === undefined ? {} : { tree: start.tree }),
  };
  const decided = step(workflow, NO_RUN, event);
  if (!decided.ok) return { type: "refused", run: NO_RUN, refusal: decided.refusal };
  const request = {
    run: id,
    by,
    event: () => event,
    ...(start.key === undefined ? {} : { key: start.key }),
    ...(start.prove === undefined ? {} : { prove: start.prove }),
  };
  const written = write(box, {
    request,
    event,
    at,
    workflow,
    before: NO_RUN,
    decided,
    birth,
    repo: birth.repo,
  });
  return written ?? { type: "conflict", run: NO_RUN, message: `there is a run ${id} already` };
}
