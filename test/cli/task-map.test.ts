/**
 * Every ordered pair of the nine states, for everybody who can type: what the map lists passes, everything else is refused.
 *
 * Each actor brings along what the move would need, so that only the map can refuse. The system types nothing: whoever comes without
 * a token from a process of ours is refused everything.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { removeHomes } from "../support/home.ts";
import { MAP, STATES } from "../support/task-map.ts";
import { document, HANDOFF, PLAN, taskScene, type Say, type Tasks } from "./task-support.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const ACTORS = ["worker", "reviewer", "human", "system"] as const;
type Actor = (typeof ACTORS)[number];

const NOT_YOURS = 4;
const GATE = 5;
const CONFLICT = 6;

let on: Tasks;
beforeAll(async () => {
  on = await taskScene();
});
afterAll(removeHomes);

async function voice(id: string, actor: Actor): Promise<Say> {
  if (actor === "human") return on.say;
  if (actor !== "system") return on.as(id, actor);
  return (words) => on.say(words, { env: { ...on.env, SIGNALBOX_JOB: `${id}.system.1.1` } });
}

const known = new Map<string, string>();

/** The same one, for as long as everything was refused. */
async function oneIn(state: string): Promise<string> {
  const id = known.get(state) ?? "";
  if (id !== "" && (await on.stateOf(id)) === state) return id;
  const made = await on.taskIn(state);
  known.set(state, made);
  return made;
}

function bring(id: string, actor: Actor, to: string): void {
  const verdict = to === "reviewing" ? "Verdict: PASS" : "Verdict: FAIL";
  on.page(id, {
    Plan: PLAN,
    Handoff: HANDOFF,
    ...(actor === "reviewer" ? { Review: `${verdict}\n\nAs it is` } : {}),
  });
}

/** Exit codes that the table allows. */
function expected(from: string, to: string, actor: Actor): readonly number[] {
  const allowed = MAP[`${from} > ${to}`] ?? [];
  if (actor === "system") return [NOT_YOURS];
  // Nobody confirms a merge that was not seen.
  if (to === "done" && from !== "reviewing" && allowed.includes(actor)) return [GATE];
  if (allowed.includes(actor)) return [0];
  // Whoever wants it where it is learns that somebody was faster.
  const isThere = from === to ? [CONFLICT] : [];
  if (actor === "human" || from === "done" || from === "cancelled") return [NOT_YOURS, ...isThere];
  // Whoever is not at work there has nothing to say.
  return [NOT_YOURS, GATE, ...isThere];
}

/** Every third one; all of them in the deep tier. */
const isChosen = (from: (typeof STATES)[number], actor: Actor): boolean =>
  IS_DEEP || (STATES.indexOf(from) + ACTORS.indexOf(actor)) % 3 === 0;

describe.for(STATES)("from %s", (from) => {
  test.for(ACTORS.filter((actor) => isChosen(from, actor)))("as %s", async (actor) => {
    for (const to of STATES) {
      const id = await oneIn(from);
      bring(id, actor, to);
      const before = await on.withStore(async (store) => (await store.load(id))?.row.seq);
      const printed = await (await voice(id, actor))(["task", "update", id, "--status", to, "--json"]);
      const { code: said, message } = document(printed);
      const codes = expected(from, to, actor);
      expect(
        codes,
        `${from} > ${to} by ${actor}: ${printed.code} ${String(said)} ${String(message)}`,
      ).toContain(printed.code);
      expect(await on.stateOf(id)).toBe(printed.code === 0 ? to : from);
      const after = await on.withStore(async (store) => (await store.load(id))?.row.seq);
      expect(printed.code === 0 || after === before, "a refusal changes nothing").toBe(true);
    }
  });
});

test("the table has all pairs, and the moves that pass are those of the map", () => {
  const pairs = STATES.flatMap((from) => STATES.map((to) => `${from} > ${to}`));
  expect(pairs).toHaveLength(81);
  expect(Object.keys(MAP).filter((pair) => !pairs.includes(pair))).toEqual([]);
});

describe("where a task comes into being", () => {
  test.for(STATES)("--status %s", async (state) => {
    const starts = new Set(["pending", "clarification", "agent-review", "reviewing"]);
    const before = (await on.rows()).length;
    on.git(on.repo, "branch", `s-${state}`);
    const printed = await on.say(["task", "create", `s-${state}`, "x", "--status", state, "--json"]);
    expect(printed.code).toBe(starts.has(state) ? 0 : NOT_YOURS);
    expect((await on.rows()).length).toBe(before + (starts.has(state) ? 1 : 0));
  });
});

/** The words for agents are moves like any other. */
test.for<[words: string[], from: string, actor: Actor, to: string]>([
  [["complete"], "planning", "worker", "working"],
  [["complete"], "working", "worker", "agent-review"],
  [["complete"], "working", "human", "agent-review"],
  [["stuck", "--note", "no key"], "working", "worker", "stuck"],
  [["stuck"], "planning", "worker", "planning"],
  [["complete"], "reviewing", "human", "reviewing"],
  [["complete"], "pending", "human", "pending"],
])("task %j in %s by %s: %s", async ([words, from, actor, to]) => {
  const id = await on.taskIn(from);
  bring(id, actor, to);
  const [part = "", ...rest] = words;
  const printed = await (await voice(id, actor))(["task", part, id, ...rest, "--json"]);
  expect(await on.stateOf(id)).toBe(to);
  expect(printed.code).toBe(from === to ? NOT_YOURS : 0);
});

test.for<[verdict: string, to: string]>([
  ["reviewing", "reviewing"],
  ["working", "working"],
])("task complete by the reviewer: the verdict leads to %s", async ([verdict, to]) => {
  const id = await on.taskIn("agent-review");
  bring(id, "reviewer", verdict);
  await (
    await on.as(id, "reviewer")
  )(["task", "complete"]);
  expect(await on.stateOf(id)).toBe(to);
});
