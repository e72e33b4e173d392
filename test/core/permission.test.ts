/** Requests of agents for permission, and the answers of people, as the core takes them. */
import { expect, test } from "vitest";
import type { Actor, Event, Incoming } from "../../src/core/model/event.ts";
import { PERMISSIONS_MAX, type PermissionAnswer, type Run } from "../../src/core/model/run.ts";
import { apply } from "../../src/core/step/apply.ts";
import { step } from "../../src/core/step/step.ts";
import { AT, HUMAN } from "../support/play.ts";
import { inState, task } from "../support/task.ts";

const WORKER: Actor = { type: "agent", role: "worker", slot: "", attempt: 1 };

function asked(id: string, more: Partial<Extract<Incoming, { type: "permission-asked" }>> = {}): Incoming {
  return { type: "permission-asked", by: WORKER, at: AT, id, tool: "fetch", input: "http://x", ...more };
}

function answered(id: string, answer: PermissionAnswer, by: Actor = HUMAN): Incoming {
  return { type: "permission-answered", by, at: AT, id, answer };
}

const dropped: Incoming = { type: "permissions-dropped", at: AT, role: "worker", slot: "", attempt: 1 };
const ended: Incoming = {
  type: "agent-ended",
  at: AT,
  role: "worker",
  slot: "",
  attempt: 1,
  cause: "exited",
};

/** What is open and what is granted after these events; the code of the first refusal. */
function after(events: readonly Incoming[]): string {
  let run: Run = inState("working");
  for (const event of events) {
    const next = step(task, run, event);
    if (!next.ok) return `refused: ${next.refusal.code}`;
    run = next.run;
  }
  const open = (run.permissions ?? []).map(({ id }) => id).join(" ");
  return `${open || "nothing"} open, ${(run.granted ?? []).join(" ") || "nothing"} granted, ${run.state}`;
}

test.for<[what: string, events: readonly Incoming[], after: string]>([
  ["asked", [asked("a"), asked("b")], "a b open, nothing granted, working"],
  ["allowed once", [asked("a"), answered("a", "allow")], "nothing open, nothing granted, working"],
  ["denied", [asked("a"), asked("b"), answered("a", "deny")], "b open, nothing granted, working"],
  ["allowed for the run", [asked("a"), answered("a", "always")], "nothing open, fetch granted, working"],
  ["the turn is over", [asked("a"), dropped], "nothing open, nothing granted, working"],
  ["the agent has ended", [asked("a"), ended], "nothing open, nothing granted, working"],
  [
    "another agent's turn is over",
    [asked("a"), { ...dropped, attempt: 2 }],
    "a open, nothing granted, working",
  ],
  ["an agent answers itself", [asked("a"), answered("a", "allow", WORKER)], "refused: not-your-role"],
  ["the engine answers", [asked("a"), answered("a", "allow", { type: "engine" })], "refused: not-your-role"],
  ["answered twice", [asked("a"), answered("a", "deny"), answered("a", "allow")], "refused: not-in-map"],
  ["never asked", [answered("a", "allow")], "refused: not-in-map"],
  ["asked twice", [asked("a"), asked("a")], "refused: invalid"],
  ["asked by a person", [asked("a", { by: HUMAN })], "refused: not-your-role"],
  ["asked by an attempt that is over", [ended, asked("a")], "refused: stale"],
  ["asked by another attempt", [asked("a", { by: { ...WORKER, attempt: 2 } as Actor })], "refused: stale"],
  ["without a tool", [asked("a", { tool: "" })], "refused: invalid"],
  ["with a long input", [asked("a", { input: "x".repeat(20_000) })], "refused: invalid"],
  ["another answer", [asked("a"), answered("a", "yes" as PermissionAnswer)], "refused: invalid"],
  ["too many", Array.from({ length: PERMISSIONS_MAX + 1 }, (_, n) => asked(`p${n}`)), "refused: invalid"],
])("%s", ([, events, result]) => {
  expect(after(events)).toBe(result);
});

test("a run with requests is what its journal makes of it", () => {
  const start = inState("working");
  let run = start;
  const events: Event[] = [];
  for (const event of [asked("a"), asked("b"), answered("a", "always"), dropped]) {
    const next = step(task, run, event);
    if (!next.ok) throw new Error(next.refusal.message);
    run = next.run;
    events.push(...next.events);
  }
  expect(run.granted).toEqual(["fetch"]);
  expect(events.map(({ type }) => type)).toEqual([
    "permission-asked",
    "permission-asked",
    "permission-answered",
    "permission-closed",
    "permissions-dropped",
    "permission-closed",
  ]);
  expect(events.reduce(apply, start)).toEqual(run);
});
