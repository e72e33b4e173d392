/** What the caller can do with a run now: a person everything that is theirs, an agent what its role may do. */

import { artifactsIn } from "../../core/model/status.ts";
import type { Reading } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { seeRun, type Seen } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { actionsOf, nextForPerson } from "./actions.ts";
import { artifactsOf, type ArtifactView } from "./work/artifacts.ts";
import { reviewsOf } from "./decision/findings.ts";
import { decisionOf, processesOf, withUnreadableFiles } from "./look.ts";
import { nextForRole, PERSON, waysOf } from "./moves.ts";
import { questionOf } from "./decision/question.ts";
import { readOnce } from "./read-once.ts";
import type { NextView } from "./run-view.ts";
import { statusOf } from "./lists/summary.ts";
import { waitsOf } from "./status/waits.ts";

export async function next(
  { store, door, who }: Reading,
  { run: word }: InputOf<"next">,
): Promise<Outcome<DataOf<"next">>> {
  const seen = withUnreadableFiles(
    await seeRun(readOnce(store), door, word ?? (who.type === "agent" ? who.run : undefined)),
  );
  // An agent has something to say in its own run only.
  const role = who.type === "agent" && who.run === seen.row.id ? who.actor.role : PERSON;
  const { row, run } = seen;
  const isPerson = role === PERSON;
  const artifacts = (await artifactsOf(seen)).filter(({ by }) => by.includes(role));
  const isWanted = wantedFor(seen, role);
  const actions = isPerson ? await actionsOf(seen) : { actions: [], others: [], closed: [] };
  const view: NextView = {
    run: run.id,
    state: run.state,
    status: statusOf(row),
    for: role,
    waits: await waitsOf(seen, await processesOf(seen)),
    moves: (await waysOf(seen)).filter(({ by }) => by.includes(role)),
    artifacts,
    ...actions,
    decision: isPerson ? await decisionOf(seen, { findings: await reviewsOf(seen), ...actions }) : null,
    question: isPerson ? ((await questionOf(seen)) ?? null) : null,
    missing: artifacts.filter((artifact) => !artifact.good && isWanted(artifact)),
  };
  const command = await (isPerson ? nextForPerson(seen, actions) : nextForRole(seen, role));
  const message = command === "" ? `there is nothing for ${role} to do in ${run.state}` : command;
  return success(message, view, { next: command });
}

/** What a move of theirs needs. What the engine waits for is an agent's to write, and a person's where the run waits for people. */
function wantedFor({ workflow, run, row }: Seen, role: string): (artifact: ArtifactView) => boolean {
  const who = role === PERSON && row.status !== "waiting" ? [role] : [role, "engine"];
  const moves = (workflow.movesFrom[run.state] ?? []).filter(({ by }) => by.some((one) => who.includes(one)));
  const names = new Set(moves.flatMap(artifactsIn));
  // What is in the way of a file concerns everyone who could remove it.
  return ({ artifact, wanted, standing, at }) =>
    names.has(artifact) || (at !== undefined && (wanted || standing === "missing"));
}
