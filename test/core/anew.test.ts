/** The same words again: they are new where nothing stood when their author was called, and old where they were there all the time. */

import { expect, test } from "vitest";
import type { Actor, Incoming, Reading } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import { agent, AT, HUMAN, play, reading, start, verdict } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const workflow = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: anew
title: A note and a review of it, that are begun again
artifacts:
  note: { in: note.md, file: true, by: [worker, human], fresh: round }
  review: { in: review.json, json: true, by: critic, fresh: round, review: { verdict: v, values: { ok: pass, no: needs_fix } } }
  memo: { in: memo.md, file: true, by: worker, fresh: round }
roles: { worker: {}, critic: { access: read, prompt: worker } }
states:
  writing: { enter: [start worker] }
  rewriting: { waits: true }
  judging: { enter: [start critic] }
  waiting: { waits: true }
  done: { final: done }
moves:
  - { from: start, to: writing, by: human, new: round }
  - { from: writing, to: judging, by: engine, when: { note: valid }, do: [stop worker] }
  - { from: judging, to: waiting, by: engine, when: { review: [pass, needs_fix] }, do: [stop critic] }
  - { from: waiting, to: writing, by: human, new: round, do: [archive note review] }
  - { from: writing, to: rewriting, by: human, new: round }
  - { from: rewriting, to: waiting, by: human, need: memo, do: [stop all] }
  - { from: [writing, judging], to: waiting, by: human, do: [stop all] }
  - { from: waiting, to: judging, by: human, new: round }
  - { from: waiting, to: done, by: human, need: review }
ends:
  - { role: worker, in: [writing, rewriting], else: { do: [mark worker] } }
  - { role: critic, in: judging, else: { do: [mark critic] } }
`);

const note = reading("note");
const review = verdict("review", "pass");
const gone = (of: Reading): Reading => ({ ...of, found: false, digest: "", faults: [] });

type Word = (run: Run) => Incoming;
const moves =
  (to: string, ...readings: Reading[]): Word =>
  () => ({ type: "move-asked", by: HUMAN, at: AT, to, readings });
const ends =
  (role: string, ...readings: Reading[]): Word =>
  (run) => {
    const { attempt } = agent(run, role) as Extract<Actor, { type: "agent" }>;
    return { type: "agent-ended", at: AT, role, slot: "", attempt, cause: "exited", readings };
  };
const looks =
  (...readings: Reading[]): Word =>
  () => ({ type: "observed", at: AT, readings });

/** Once through, up to where a person begins it again. */
const ONCE: readonly Word[] = [ends("worker", note), ends("critic", note, review)];

test("what its author has said already is not said again by lying there", () => {
  const memo = reading("memo");
  const hands = (run: Run): Incoming => ({
    type: "submitted",
    by: agent(run, "worker"),
    at: AT,
    readings: [memo],
  });
  const words = [moves("writing", gone(memo)), hands, moves("rewriting", memo), ends("worker", memo)];
  const { run } = play(workflow, [start(workflow), ...ONCE, ...words]);
  expect([run.state, standingOf(workflow, run, "memo")]).toEqual(["rewriting", "stale"]);
});

test.for<[what: string, words: readonly Word[], ended: string]>([
  [
    "archived, and called at once",
    [moves("writing"), ends("worker", note)],
    "judging: note valid, review stale",
  ],
  [
    "archived, and called later",
    [moves("writing"), ends("worker", note, gone(review)), ends("critic", note, review)],
    "waiting: note valid, review pass",
  ],
  [
    "archived, and somebody has seen that it is gone",
    [moves("writing"), looks(gone(note), gone(review)), ends("worker", note), ends("critic", note, review)],
    "waiting: note valid, review pass",
  ],
  [
    "archived, and not written again",
    [moves("writing"), ends("worker", gone(note))],
    "writing: note missing, review stale",
  ],
  ["not archived", [moves("judging"), ends("critic", note, review)], "judging: note stale, review stale"],
  [
    "archived, but there again before its author is called",
    [moves("writing"), ends("worker", reading("note"), review), ends("critic", review)],
    "judging: note valid, review stale",
  ],
  [
    "archived, and found by a person, whose it is not",
    [moves("writing"), moves("waiting", note)],
    "waiting: note stale, review stale",
  ],
])("%s", ([, words, ended]) => {
  const { run } = play(workflow, [start(workflow), ...ONCE, ...words]);
  const standings = ["note", "review"].map((name) => `${name} ${standingOf(workflow, run, name)}`);
  expect(`${run.state}: ${standings.join(", ")}`).toBe(ended);
});
