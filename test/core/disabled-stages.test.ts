/** Stages that can be disabled: what they become, and a life through each variant. */

import { expect, test } from "vitest";
import { diceOf } from "../../src/app/workflows/simulate.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Incoming } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { project } from "../../src/core/projection/project.ts";
import { simulate } from "../../src/core/check/simulate.ts";
import { viewOf } from "../../src/core/projection/run-data.ts";
import type { Literal } from "../../src/core/model/value.ts";
import type { Move } from "../../src/core/model/workflow.ts";
import { contextFiles, withContext } from "../../src/engine/agents/prompt-context.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, HUMAN, play, reading, start, verdict } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

type Params = Record<string, Literal>;

function fixture(name: string): Workflow {
  const found = fixturesIn("good").find((each) => each.name === name);
  const workflow = found === undefined ? undefined : checkFixture(found).workflow;
  if (workflow === undefined) throw new Error(`the corpus lacks ${name}`);
  return workflow;
}

const STAGES = ["EXPLORE", "BUILD", "TEST", "POLISH"];
const flow = fixture("stages-that-can-be-disabled.yaml");

/** Whoever is at work leaves what it owes, checks pass, and a person moves on, until it is over or stands there. */
function live(workflow: Workflow, params: Params, until = ""): { path: string; run: Run } {
  let { run } = play(workflow, [start(workflow, undefined, { params })]);
  const path = [run.state];
  while (workflow.definition.states[run.state]?.final === undefined && run.state !== until) {
    const next = play(workflow, [onward(run)], run);
    if (next.run.state === run.state) throw new Error(`${path.join(" ")}: ${next.lines.join("; ")}`);
    run = next.run;
    path.push(run.state);
  }
  return { path: path.join(" "), run };
}

function onward(run: Run): Incoming {
  if (run.state === "closing") return moveTo("closed");
  if (run.state === "verify") return { type: "observed", at: AT, readings: [verdict("verify", "pass")] };
  const made = run.state === "judge" ? verdict("judge", "pass") : reading(run.state);
  const role = Object.values(run.agents).find(({ status }) => status !== "stopping")?.role ?? "";
  return { type: "submitted", by: agent(run, role), at: AT, readings: [made] };
}

function moveTo(to: string): Incoming {
  return { type: "move-asked", by: HUMAN, at: AT, to };
}

test.for<[Params, string]>([
  [{ polished: true }, "look build verify note judge polish closing closed"],
  [{}, "look build verify note judge closing closed"],
  [{ explore: false }, "build verify note judge closing closed"],
  [{ test: false, polished: true }, "look build polish closing closed"],
  [{ test: false }, "look build closing closed"],
  [{ explore: false, test: false }, "build closing closed"],
])("with %o a run goes %s", ([params, path]) => {
  expect(live(flow, params).path).toBe(path);
});

test.for<Params>([
  { explore: true },
  { explore: false },
  { test: false },
  { explore: false, polished: true },
])("a walk by chance with %o stays out of what is disabled", (given) => {
  const params = { explore: true, test: true, polished: false, ...given };
  const seen = new Set<string>();
  for (let seed = 1; seed <= 20; seed += 1) {
    const { steps } = simulate(flow, params, { chance: diceOf(seed), steps: 60, people: "helpful" });
    for (const { run } of steps) seen.add(flow.definition.states[run.state]?.stage ?? "");
  }
  expect(seen.has("EXPLORE")).toBe(params.explore);
  expect(seen.has("TEST")).toBe(params.test);
  expect(seen.has("POLISH")).toBe(params.polished);
});

test("a stage that is off is passed in every run", () => {
  expect(live(fixture("stage-that-is-off.yaml"), {}).path).toBe("draft print closed");
});

test("a run with every stage disabled cannot begin", () => {
  const all = fromText(`$schema: workflow-1.schema.json
name: pair
title: Two stages, of which none must be there
params: { written: { bool: true }, read: { bool: true } }
roles: { worker: {} }
stages:
  WRITE: { enabled: $written, stuck: stuck, phases: { text: { run: worker, out: text.md } } }
  READ: { enabled: $read, stuck: stuck, then: closed, phases: { notes: { run: worker, out: notes.md } } }
states: { closed: { final: done } }
moves: [{ from: start, to: text, by: human }]
asks: { stuck: { question: worker, options: { retry: { to: origin } } } }
`);
  expect(play(all, [start(all, undefined, { params: { written: false } })]).run.state).toBe("notes");
  const none = { params: { written: false, read: false } };
  expect(play(all, [start(all, undefined, none)]).lines).toEqual([
    "refused: gate-not-met: start to text: this run has written false, and this needs true",
  ]);
});

test("nobody begins in a stage that is disabled, and nobody moves there", () => {
  const begun = play(flow, [start(flow, "look", { params: { explore: false } })]);
  expect(begun.lines).toEqual([
    "refused: gate-not-met: start to look: this run has explore false, and this needs true",
  ]);
  const { run } = live(flow, { test: false }, "closing");
  const [shut = "", ...back] = play(flow, [moveTo("verify"), moveTo("closing")], run).lines;
  expect(shut).toContain("this run has test false, and this needs true");
  // The way that would have led there leads past it, with all that it counts.
  expect(back).toEqual(["closing, reruns 1"]);
});

test.for<[string, Params, string]>([
  ["look", {}, "in_progress pending pending skipped"],
  ["verify", {}, "completed completed in_progress skipped"],
  ["build", { explore: false, test: false }, "skipped in_progress skipped skipped"],
  ["polish", { test: false, polished: true }, "completed completed skipped in_progress"],
  ["closing", { polished: true }, "completed completed completed completed"],
  ["closed", { test: false }, "completed completed skipped skipped"],
])("in %s with %o the stages are %s", ([state, params, told]) => {
  const { run } = live(flow, params, state);
  const view = viewOf(flow, run, {});
  const list = project({ each: "run.stages", give: { from: "item" } }, view);
  expect([list].flat().join(" ")).toBe(told);
  expect(project({ each: "run.stages", give: { from: "key" } }, view)).toEqual(STAGES);
});

test("who dropped a run sees how far it came", () => {
  const dying = (run: Run): Incoming => ({
    type: "agent-ended",
    at: AT,
    role: "analyst",
    slot: "",
    attempt: run.agents["analyst"]?.attempt ?? 0,
    cause: "exited",
  });
  const { run } = live(flow, { explore: false, polished: true }, "note");
  const stuck = play(flow, [dying, dying], run);
  expect(stuck.run.state).toBe("TEST-blocked");
  const shown = shownBy(flow, stuck.run, "stuck");
  const drop: Incoming = {
    type: "answered",
    by: HUMAN,
    at: AT,
    ask: "stuck",
    answer: "drop",
    text: "",
    shown,
  };
  const over = play(flow, [drop], stuck.run);
  expect(over.run.state).toBe("dropped");
  expect(viewOf(flow, over.run, {}).run["stages"]).toEqual({
    EXPLORE: "skipped",
    BUILD: "completed",
    TEST: "in_progress",
    POLISH: "pending",
  });
});

test.for<[Params, string]>([
  [{}, "look.md build.md"],
  [{ explore: false }, "build.md"],
])("with %o whoever needs to read something reads %s", ([params, files]) => {
  const { run } = live(flow, params, "note");
  const prompt = withContext(
    "Look.\n",
    contextFiles(flow, run, {
      role: "analyst",
      readings: [],
      leads: (all) => all.map((file) => ({ file, to: file })),
    }),
  );
  expect(prompt.match(/\w+\.md/g)?.join(" ")).toBe(files);
});

test("whoever begins later is not told to read what nobody made, and reads what a person brought along", () => {
  const { run } = live(flow, { explore: false }, "note");
  const { build, ...held } = run.held;
  if (build === undefined) throw new Error("nothing was built");
  const told = (at: Run): string | undefined =>
    withContext(
      "Look.\n",
      contextFiles(flow, at, {
        role: "analyst",
        readings: [],
        leads: (all) => all.map((file) => ({ file, to: file })),
      }),
    )
      .match(/\w+\.md/g)
      ?.join(" ");
  expect(told({ ...run, held })).toBeUndefined();
  expect(told({ ...run, held: { ...held, look: build } })).toBe("look.md");
});

/** Three stages of one or two phases; what is asked for replaces words of it. */
function staged(change: { enabled?: string; moves?: string }): Workflow {
  return fromText(`$schema: workflow-1.schema.json
name: flow
title: A workflow
params: { on: { bool: true }, other: { bool: true } }
roles: { worker: {} }
stages:
  A: { stuck: stuck, phases: { a: { run: worker, out: a.md } } }
  B: { stuck: stuck, enabled: ${change.enabled ?? "$on"}, phases: { b: { run: worker, out: b.md }, c: { run: worker, out: c.md } } }
  C: { stuck: stuck, enabled: $other, phases: { d: { run: worker, out: d.md } } }
  D: { stuck: stuck, then: closed, phases: { e: { run: worker, out: e.md } } }
states: { open: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: a, by: human }
${change.moves ?? ""}
asks: { stuck: { question: worker, options: { give-up: { to: closed } } } }
`);
}

test.for<[string, { enabled?: string; moves?: string }, string, string]>([
  ["two in a row", {}, "a", "b [on] needs a; d [no on, other] needs a; e [no on, no other] needs a"],
  ["of one parameter", { enabled: "$other" }, "a", "b [other] needs a; e [no other] needs a"],
  ["between two of one parameter", { enabled: "$other" }, "c", "d needs c"],
  ["one for good", { enabled: "false" }, "a", "d [other] needs a; e [no other] needs a"],
  ["one that is always there", { enabled: "true" }, "a", "b needs a"],
  ["inside", {}, "b", "c needs b"],
  ["from one to the next", {}, "c", "d [other] needs c; e [no other] needs c"],
  ["to a later phase it is shut", { moves: "  - { from: open, to: c, by: human }" }, "open", "a; c [on]"],
  [
    "a guard that says when",
    { moves: "  - { from: open, to: b, by: human, when: { on: true } }" },
    "open",
    "a; b [on]",
  ],
  [
    "what is needed only where it is made",
    { moves: "  - { from: open, to: closed, by: human, need: [a, b, d] }" },
    "open",
    "a; closed [on, other] needs a b d; closed [on, no other] needs a b; closed [no on, other] needs a d; closed [no on, no other] needs a",
  ],
])("moves past stages: %s", ([, change, from, told]) => {
  const { moves } = staged(change).definition;
  const own = moves.filter((move) => move.from === from && !move.to.endsWith("-blocked"));
  expect(own.map(say).join("; ")).toBe(told);
});

function say({ to, when, need }: Move): string {
  const guards = when.flatMap((one) =>
    one.type === "param" ? [one.in.includes(true) ? one.param : `no ${one.param}`] : [],
  );
  return [
    to,
    ...(guards.length === 0 ? [] : [`[${guards.join(", ")}]`]),
    ...(need.length === 0 ? [] : ["needs", ...need]),
  ].join(" ");
}
