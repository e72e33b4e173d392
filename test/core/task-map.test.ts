/** Every pair of states, for every actor: what the map allows, and how everything else is refused. */

import { expect, test } from "vitest";
import type { Actor, Incoming } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { agent, AT, HUMAN, reading } from "../support/play.ts";
import { MAP, STATES } from "../support/task-map.ts";
import { FAIL, handoff, inState, PASS, plan, task } from "../support/task.ts";

const ACTORS = ["human", "worker", "reviewer", "engine"] as const;

/** What the actor brings along, so that only the map can refuse. */
function asks(run: Run, actor: (typeof ACTORS)[number], to: string): Incoming {
  const by: Actor = actor === "human" ? HUMAN : actor === "engine" ? { type: "engine" } : agent(run, actor);
  const readings = [
    plan(),
    handoff(),
    ...(actor === "reviewer" ? [to === "reviewing" ? PASS() : FAIL()] : []),
  ];
  return { type: "move-asked", by, at: AT, to, readings, reserved: ["workspace"] };
}

/** A person may say that the work is merged, once it looks so. */
function lookingMerged(run: Run): Run {
  const seen = reading("merged", {});
  const after = step(task, run, { type: "observed", at: AT, readings: [seen] });
  return after.ok ? after.run : run;
}

function outcome(from: string, to: string, actor: (typeof ACTORS)[number]): string {
  const run = to === "done" ? lookingMerged(inState(from)) : inState(from);
  const after = step(task, run, asks(run, actor, to));
  return after.ok ? after.run.state : after.refusal.code;
}

const cases = STATES.flatMap((from) =>
  STATES.flatMap((to) =>
    ACTORS.filter((actor) => actor !== "engine").map((actor) => [from, to, actor] as const),
  ),
);

test("the table covers 9 x 9 states for 3 actors who ask", () => {
  expect(cases).toHaveLength(243);
});

/** What the table says must come of it. */
function expected(from: string, to: string, actor: (typeof ACTORS)[number]): string[] {
  const allowed = MAP[`${from} > ${to}`];
  const isThere = actor === "human" || inState(from).agents[actor]?.status === "called";
  if (from === "done" || from === "cancelled") return ["finished"];
  if (!isThere) return ["stale", "not-in-map"];
  if (allowed === undefined) return ["not-in-map"];
  if (allowed.includes(actor)) return [to];
  // The reviewer who asks for stuck in round one is told where its verdict leads.
  return [actor === "reviewer" && to === "stuck" ? "gate-not-met" : "not-your-role"];
}

test.for(cases)("%s to %s, asked for by %s", ([from, to, actor]) => {
  expect(expected(from, to, actor)).toContain(outcome(from, to, actor));
});

test("everybody who is not the engine is refused the engine's moves, and the engine asks for nothing", () => {
  const engine: Actor = { type: "engine" };
  const refused = STATES.flatMap((from) =>
    STATES.map((to) => step(task, inState(from), { type: "move-asked", by: engine, at: AT, to })),
  );
  const taken = refused.flatMap((after) => (after.ok ? [after.run.state] : []));
  expect(taken).toEqual([]);
});

test("the map has the seed's twenty moves and the seven that the resolutions add", () => {
  const pairs = new Set(
    task.definition.moves.filter((move) => move.from !== "start").map((move) => `${move.from} > ${move.to}`),
  );
  expect([...pairs].sort()).toEqual(Object.keys(MAP).sort());
});
