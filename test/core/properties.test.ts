/** What holds for every order of events, on every workflow of this repository. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { possible } from "../../src/core/check/explore/possible.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Event, Incoming } from "../../src/core/model/event.ts";
import { maxOf } from "../../src/core/gates/gate.ts";
import { replay } from "../../src/core/step/apply.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import { step } from "../../src/core/step/step.ts";
import { agent, AT, HUMAN, reading, start } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";

const RUNS = process.env["SIGNALBOX_DEEP"] === undefined ? 300 : 10_000;
const LENGTH = 60;
const NAMES = ["task", "staged-plan", "design-approval"];

/** What nobody should do: the wrong actor, an old attempt, somebody else's verdict, an answer nobody asked for. */
function noise(workflow: Workflow, run: Run, dice: number): Incoming {
  const states = Object.keys(workflow.definition.states);
  const roles = Object.keys(workflow.definition.roles);
  const artifacts = Object.keys(workflow.definition.artifacts);
  const pick = <T>(list: readonly T[], otherwise: T): T => list[dice % Math.max(1, list.length)] ?? otherwise;
  const by = dice % 3 === 0 ? HUMAN : agent(run, pick(roles, ""));
  const old = by.type === "agent" && dice % 2 === 0 ? { ...by, attempt: by.attempt - 1 } : by;
  const all: Incoming[] = [
    {
      type: "move-asked",
      by: old,
      at: AT,
      to: pick(states, ""),
      readings: artifacts.map((name) => reading(name, { verdict: "pass" })),
      reserved: ["workspace"],
    },
    { type: "submitted", by: old, at: AT, readings: [reading(pick(artifacts, ""), { verdict: "pass" })] },
    {
      type: "agent-ended",
      at: AT,
      role: pick(roles, ""),
      slot: "",
      attempt: (dice % 4) + 1,
      cause: dice % 2 === 0 ? "infrastructure" : "killed",
    },
    { type: "agent-started", at: AT, role: pick(roles, ""), slot: "", attempt: (dice % 4) + 1 },
    {
      type: "turn-reported",
      at: AT,
      role: pick(roles, ""),
      slot: "",
      attempt: dice % 4,
      turn: dice % 3,
      harness: "codex",
      model: "",
      conversation: "",
      ...(dice % 2 === 0 ? { usage: { input: dice, cached: 0, output: dice % 5 } } : {}),
      ms: dice % 13 === 0 ? Number.NaN : dice,
      end: "exited",
      refused: [],
    },
    { type: "answered", by: old, at: AT, ask: "exhausted", answer: "approved? no", shown: "" },
    {
      type: "waived",
      by: old,
      at: AT,
      artifact: pick(artifacts, ""),
      reason: dice % 5 === 0 ? "" : "because",
    },
    { type: "observed", at: AT, tree: `t${dice}` },
    { type: "run-started", by: HUMAN, at: AT, run: "R2", definition: workflow.hash(), params: {} },
    { type: "respawn-asked", by: old, at: AT, role: pick(roles, "") },
    {
      type: "param-set",
      by: old,
      at: AT,
      name: pick(Object.keys(workflow.definition.params), ""),
      value: "x",
    },
  ];
  return all[dice % all.length] ?? { type: "observed", at: AT };
}

type Life = { run: Run; events: Event[]; runs: Run[] };

/** Lives a run by dice: mostly what can happen, sometimes noise, sometimes the same event twice. */
function live(
  workflow: Workflow,
  dice: readonly number[],
  see: (before: Run, event: Incoming, after: ReturnType<typeof step>) => void = () => {},
): Life {
  const life: Life = { run: NO_RUN, events: [], runs: [] };
  const happen = (event: Incoming): void => {
    const after = step(workflow, life.run, event);
    see(life.run, event, after);
    if (!after.ok) return;
    life.run = after.run;
    life.events.push(...after.events);
    life.runs.push(after.run);
  };
  const starts = (workflow.movesFrom["start"] ?? []).map((move) => move.to);
  happen(start(workflow, starts[(dice[0] ?? 0) % starts.length]));
  for (const die of dice) {
    const happenings = possible(workflow, life.run);
    const chosen = happenings[die % Math.max(1, happenings.length)]?.event;
    const event = chosen === undefined || die % 7 === 0 ? noise(workflow, life.run, die) : chosen;
    happen(event);
    if (die % 11 === 0) happen(event);
  }
  return life;
}

const dice = fc.array(fc.nat(10_000), { minLength: 1, maxLength: LENGTH });

test.for(NAMES)("%s: no order of events exceeds a budget", (name) => {
  const workflow = loadWorkflow(name);
  fc.assert(
    fc.property(dice, (list) => {
      for (const run of live(workflow, list).runs) {
        for (const counter in run.counters)
          expect(run.counters[counter]).toBeLessThanOrEqual(maxOf(workflow, run, counter));
      }
    }),
    { numRuns: RUNS },
  );
});

test.for(NAMES)("%s: replaying the journal gives the live run", (name) => {
  const workflow = loadWorkflow(name);
  fc.assert(
    fc.property(dice, (list) => {
      const { run, events } = live(workflow, list);
      const stored: Event[] = structuredClone(events);
      expect(replay(workflow, stored)).toEqual(run);
    }),
    { numRuns: RUNS },
  );
});

test.for(NAMES)("%s: a refused event changes nothing, and says what to do next", (name) => {
  const workflow = loadWorkflow(name);
  let refusals = 0;
  fc.assert(
    fc.property(dice, (list) => {
      live(workflow, list, (before, event, after) => {
        const was = structuredClone(before);
        const again = step(workflow, before, event);
        expect(before).toEqual(was);
        expect(again).toEqual(after);
        if (after.ok) return;
        refusals += 1;
        expect(after.refusal.message).not.toBe("");
        expect(after.refusal.next).not.toBe("");
      });
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  );
  expect(refusals).toBeGreaterThan(100);
});

test("there is never a second agent for one role and slot, and attempts only grow", () => {
  const workflow = loadWorkflow("task");
  fc.assert(
    fc.property(dice, (list) => {
      const seen = new Map<string, number>();
      live(workflow, list, (_before, _event, after) => {
        if (!after.ok) return;
        for (const effect of after.effects) {
          if (effect.type !== "start-agent") continue;
          const key = `${effect.role}/${effect.slot}`;
          expect(effect.attempt).toBeGreaterThan(seen.get(key) ?? 0);
          seen.set(key, effect.attempt);
        }
      });
    }),
    { numRuns: RUNS },
  );
});

test("task is never done without a pass bound to the last change, a waiver, or a merge elsewhere", () => {
  const workflow = loadWorkflow("task");
  let finished = 0;
  fc.assert(
    fc.property(dice, (list) => {
      const { run } = live(workflow, list);
      if (run.state !== "done") return;
      finished += 1;
      const isEarned =
        ["pass", "waived"].includes(standingOf(workflow, run, "review")) ||
        standingOf(workflow, run, "merged") === "holds";
      expect(isEarned).toBe(true);
    }),
    { numRuns: RUNS * 3 },
  );
  expect(finished).toBeGreaterThan(0);
});
