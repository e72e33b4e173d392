/** Verbs of people where a workflow asks: the option that is meant, words that are no option, and typing mistakes. */
import { beforeEach, expect, test } from "vitest";
import { perform } from "../../src/app/perform.ts";
import type { World } from "../../src/cli/run.ts";
import { AT_HOME } from "../support/procs.ts";
import { boxOf, outcome, parsed, scene, type Scene } from "./acting-support.ts";

const ASKED = `$schema: workflow-1.schema.json
name: asked
title: A person is asked
counters:
  unclear: { max: 3, per: entry }
states:
  open: { waits: true }
  asked: { ask: design }
  curious: { ask: tell }
  closed: { final: done }
  blocked: { final: failed }
  dropped: { final: cancelled }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: asked, by: human, verb: accept }
  - { from: open, to: curious, by: human, verb: accept }
  - { from: asked, to: blocked, by: engine, when: { unclear: spent } }
asks:
  design:
    question: design
    reask: unclear
    options:
      approved: { to: closed, verb: accept, label: Go ahead }
      changes-requested:
        text: required
        verb: send-back
        routes: { spec: { to: open }, plan: { to: curious } }
      abandon: { to: dropped, verb: cancel }
  tell:
    question: tell
    options:
      answer: { to: closed, text: required, verb: answer }
      give-up: { to: dropped }
`;

/** Two options of one verb have a route of the same name, and two states lead to the question. */
const TWICE = `$schema: workflow-1.schema.json
name: twice
title: A person is asked again
states:
  open: { waits: true }
  aside: { waits: true }
  asked: { ask: design }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: asked, by: human, verb: accept }
  - { from: open, to: aside, by: human }
  - { from: aside, to: asked, by: human }
asks:
  design:
    question: design
    options:
      approved: { to: closed, verb: accept }
      reword: { text: required, verb: send-back, routes: { spec: { to: open } } }
      rethink: { text: required, verb: send-back, routes: { spec: { to: open } } }
`;

let on: Scene;
beforeEach(async () => {
  on = await scene({
    ".signalbox/workflows/asked/workflow.yaml": ASKED,
    ".signalbox/workflows/asked/prompts/design.md": "Is it good?\n",
    ".signalbox/workflows/asked/prompts/tell.md": "What is it?\n",
    ".signalbox/workflows/twice/workflow.yaml": TWICE,
    ".signalbox/workflows/twice/prompts/design.md": "Is it good?\n",
  });
});

const TYPED: Partial<World> = { isTyped: () => true };

async function runIn(state: string, workflow = "asked"): Promise<string> {
  const id = (await on.say(`run ${workflow} --detach --quiet`)).stdout.trim();
  if (state !== "open") await on.say(`move ${id} ${state}`);
  return id;
}

async function stateOf(id: string): Promise<string | undefined> {
  return on.withStore(async (store) => (await store.load(id))?.row.state);
}

async function repeatsOf(id: string): Promise<number> {
  return on.withStore(async (store) => (await store.load(id))?.run.counters["unclear"] ?? 0);
}

test.for<[typed: string, state: string]>([
  ["approved", "closed"],
  ["Approved", "closed"],
  ["approve", "closed"],
  ["app", "closed"],
  ["1", "closed"],
  ["4", "dropped"],
])("at a terminal, %j leads to %s", async ([typed, state]) => {
  const id = await runIn("asked");
  expect(await outcome(on.say(["answer", id, typed, "--json"], TYPED))).toBe("0 ok");
  expect(await stateOf(id)).toBe(state);
});

test.for<[typed: string, said: string]>([
  ["aproved", `"aproved" is not one of approved, changes-requested/spec, changes-requested/plan, abandon`],
  ["a", `"a" may be approved or abandon`],
  ["changes", `"changes" may be changes-requested/spec or changes-requested/plan`],
  ["7", `"7" is not one of approved, changes-requested/spec, changes-requested/plan, abandon`],
  ["yes, but later", `"yes, but later" is not one of`],
])("at a terminal, %j is refused and costs nothing; from a program it is counted", async ([typed, said]) => {
  const id = await runIn("asked");
  const printed = await on.say(["answer", id, typed, "--json"], TYPED);
  expect([printed.code, parsed(printed)["code"]]).toEqual([2, "not-an-option"]);
  expect(parsed(printed)["message"]).toContain(said);
  expect(await repeatsOf(id)).toBe(0);
  expect(await outcome(on.say(["answer", id, typed, "--json"]))).toBe("3 asked-again");
  expect(await repeatsOf(id)).toBe(1);
});

test.for([TYPED, {}])("words that are no option are the answer, where one is wanted", async (how) => {
  const id = await runIn("curious");
  expect(await outcome(on.say(["answer", id, "ISO", "--json"], how))).toBe("0 ok");
  const [decision] = (await on.withStore(async (store) => (await store.load(id))?.run.decisions)) ?? [];
  expect(decision).toMatchObject({ answer: "answer", text: "ISO" });
});

test("what looks like an option is a mistake, not words", async () => {
  const id = await runIn("curious");
  expect(await outcome(on.say(["answer", id, "giveup", "--json"], TYPED))).toBe("2 not-an-option");
  expect(await stateOf(id)).toBe("curious");
});

test.for<[state: string, words: readonly string[], said: string]>([
  ["asked", ["accept"], "0 ok"],
  ["asked", ["send-back", "name it", "--to", "plan"], "0 ok"],
  ["asked", ["send-back", "name it"], "5 which-way"],
  ["asked", ["send-back", "--to", "plan"], "2 needs-text"],
  ["asked", ["cancel"], "0 ok"],
  ["asked", ["retry"], "4 not-in-map"],
  ["open", ["accept"], "5 which-way"],
  ["open", ["accept", "--to", "curious"], "0 ok"],
  ["curious", ["accept"], "4 not-in-map"],
])("%s: %j is %s", async ([state, [verb = "", ...rest], said]) => {
  const id = await runIn(state);
  expect(await outcome(on.say([verb, id, ...rest, "--json"]))).toBe(said);
});

test("several ways are listed with what to type", async () => {
  const id = await runIn("asked");
  const printed = parsed(await on.say(["send-back", id, "name it", "--json"]));
  expect(printed).toMatchObject({
    message: "send-back may mean changes-requested/spec, or changes-requested/plan: say which with --to",
    next: `signalbox send-back ${id} "TEXT" --to changes-requested/spec, or: signalbox send-back ${id} "TEXT" --to changes-requested/plan`,
  });
});

test("every way that is offered is accepted as it is printed", async () => {
  const { actions } = parsed(await on.say(["show", await runIn("asked", "twice"), "--json"])) as {
    actions: { command: string }[];
  };
  const offered = actions.map(({ command }) => command.split(" ").filter((word) => word !== "signalbox"));
  expect(offered.map(([verb, , ...rest]) => [verb, ...rest].join(" "))).toEqual([
    "accept",
    'send-back "TEXT" --to reword/spec',
    'send-back "TEXT" --to rethink/spec',
  ]);
  for (const [verb = "", , ...rest] of offered)
    expect(await outcome(on.say([verb, await runIn("asked", "twice"), ...rest, "--json"]))).toBe("0 ok");
});

test.for<[state: string, through: readonly string[], left: string]>([
  ["open", ["move ID aside"], "aside"],
  // The same state, the same question, and nothing that it shows: the person has still not seen it.
  ["asked", ["send-back ID again --to reword/spec", "move ID asked"], "asked"],
])(
  "a run that leaves %s while a person accepts what it was is not accepted",
  async ([state, lines, left]) => {
    const id = await runIn(state, "twice");
    await on.withStore(async (store) => {
      const box = boxOf(on.home, store);
      const meanwhile = [...lines];
      const collect: typeof box.artifacts.collect = async (...of) => {
        for (const line of meanwhile.splice(0)) await on.say(line.replace("ID", id));
        return box.artifacts.collect(...of);
      };
      const door = { cwd: on.repo, home: "", env: on.env, procs: AT_HOME, startSupervisor: () => undefined };
      const accepting = perform(
        {
          ...door,
          warm: { box: { ...box, artifacts: { ...box.artifacts, collect } }, ring: () => undefined },
        },
        "accept",
        { run: id },
      );
      await expect(accepting).rejects.toMatchObject({ code: "conflict" });
    });
    expect(await stateOf(id)).toBe(left);
  },
);

test("where a task asks, the verb goes there and says so", async () => {
  const [parent, child, other] = [await runIn("curious"), await runIn("asked"), await runIn("curious")];
  await on.withStore(async (store) => {
    for (const [id, task] of [
      [parent, child],
      [child, other],
    ] as const) {
      const entry = (await store.load(id))?.run.entry ?? 0;
      const key = { parent: id, artifact: "work", entry };
      const of = { id: "1", title: "Part 1", dependsOn: [], files: [] };
      const definition = (await store.load(task))?.row.definition ?? "";
      await store.commit([
        { type: "put-graph", graph: { ...key, definition, most: 1 }, children: [{ task: of, params: {} }] },
      ]);
      await store.commit([{ type: "name-child", graph: key, task: "1", run: task }]);
    }
  });
  const { code, stdout, stderr } = await on.say(["accept", parent]);
  expect([code, stdout]).toEqual([0, `accepted; ${child} goes from asked to closed\n`]);
  expect(stderr).toContain(`task 1 of ${parent} waits for you: this went to ${child}`);
});
