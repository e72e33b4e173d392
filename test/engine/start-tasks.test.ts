/** Child runs over the real store: what they are made of and started with, and what their parent is told. */

import { carriedOut } from "../support/effects.ts";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { homeAt, runFolders } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Works } from "../../src/engine/box.ts";
import { Families } from "../../src/engine/tasks/families.ts";
import type { Hands } from "../../src/engine/supervise/in-progress.ts";
import { perform } from "../../src/engine/effects/perform.ts";
import type { Place } from "../../src/engine/ports/files.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { project } from "../../src/engine/submit/project.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { showsInside } from "../../src/engine/tasks/task-runs.ts";
import { AT, HUMAN } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const CHILD = fromText(
  `$schema: workflow-1.schema.json
name: child
title: A part of the work, which a person does
params:
  goal: { text: "" }
  task: { text: "" }
  plan: { text: none }
  parent: { text: "" }
  tested: { bool: true }
  pace: { enum: [slow, fast], default: slow }
  least: { int: [1, 9], default: 5 }
  note: { text: "", set: human }
counters: { doubts: { max: 3, per: run } }
artifacts: { orphaned: { fact: parent-over } }
states: { working: { phase: WORK, waits: true }, asking: { phase: ASK, ask: which }, done: { final: done }, lost: { final: cancelled } }
moves:
  - { from: start, to: working, by: [human, engine] }
  - { from: working, to: done, by: human }
  - { from: working, to: asking, by: human, when: { doubts: below }, count: doubts, remember: true }
  - { from: working, to: lost, by: human }
  - { from: [working, asking], to: lost, by: engine, when: { orphaned: holds } }
asks: { which: { question: which, options: { this: { to: origin } } } }
`,
  { which: "Which of {task}?\n" },
);

const PARENT = fromText(`$schema: workflow-1.schema.json
name: parent
title: One run is made of no list
params: { goal: { text: "" } }
artifacts:
  pass: { children: { id: meta, title: $goal }, workflow: child, fresh: judging }
states:
  judging: { enter: [start tasks pass] }
  good: { waits: true }
  bad: { waits: true }
  over: { final: done }
moves:
  - { from: start, to: judging, by: human }
  - { from: judging, to: good, by: engine, when: { pass: all } }
  - { from: judging, to: bad, by: engine, when: { pass: none } }
  - { from: judging, to: bad, by: human }
  - { from: [good, bad], to: judging, by: human }
  - { from: [good, bad], to: over, by: human }
`);

const JUDGE = fromText(`$schema: workflow-1.schema.json
name: judge
title: It begins with somebody who only reads
artifacts: { orphaned: { fact: parent-over } }
roles: { worker: { access: read } }
states: { reading: { enter: [start worker] }, done: { final: done }, lost: { final: cancelled } }
moves:
  - { from: start, to: reading, by: [human, engine] }
  - { from: reading, to: done, by: human, do: [stop all] }
  - { from: reading, to: lost, by: engine, when: { orphaned: holds }, do: [stop all] }
ends:
  - { role: worker, in: reading, else: { do: [mark worker] } }
`);

const ABOUT = fromText(`$schema: workflow-1.schema.json
name: about
title: How it ended is about a file of the work
artifacts:
  looked: { files: { paths: [a.txt] } }
  pass: { children: { id: meta, title: Judge it }, workflow: judge, fresh: judging, bind: looked }
states:
  judging: { enter: [start tasks pass] }
  good: { waits: true }
  handed: { waits: true }
  over: { final: done }
moves:
  - { from: start, to: judging, by: human }
  - { from: good, to: judging, by: human }
  - { from: judging, to: good, by: engine, when: { pass: [all, none] } }
  - { from: good, to: handed, by: human, need: pass }
  - { from: handed, to: over, by: human }
`);

const TOLD = fromText(`$schema: workflow-1.schema.json
name: told
title: What each run is started with is said by its task, and by an answer
artifacts:
  todo: { in: tasks.yaml, tasks: yaml, by: human }
  answer: { in: answer.json, json: { object: { pace?: text } }, by: human, fresh: planning }
  work:
    children: todo
    workflow: child
    with: { tested: { from: task.needs_qa, or: { task.type: [feat, fix], task.flags: [risky] } }, pace: { from: answer.pace }, least: { from: task.least } }
states:
  planning: { waits: true }
  building: { enter: [start tasks todo] }
  over: { final: done }
moves:
  - { from: start, to: planning, by: human }
  - { from: planning, to: planning, by: human }
  - { from: planning, to: building, by: human, need: todo }
  - { from: building, to: over, by: engine, when: { work: [all, some, none] } }
`);

const SHOWN = fromText(`$schema: workflow-1.schema.json
name: shown
title: The list shows how far its tasks are
artifacts:
  todo: { in: tasks.yaml, tasks: yaml, by: human }
  work: { children: todo, workflow: child, most: 1, fresh: building }
states:
  planning: { waits: true }
  building: { enter: [start tasks todo] }
  stuck: { waits: true }
  over: { final: done }
moves:
  - { from: start, to: planning, by: human }
  - { from: [planning, stuck], to: building, by: human, need: todo }
  - { from: building, to: over, by: engine, when: { work: all } }
  - { from: building, to: stuck, by: engine, when: { work: [some, none] } }
projection:
  - { file: tasks.yaml, as: task-status, data: { each: tasks.work.list, key: item.id, give: { from: item.status } } }
`);

const INSIDE = fromText(`$schema: workflow-1.schema.json
name: inside
title: Files show what the runs of tasks say
artifacts:
  work: { children: { id: meta, title: All }, workflow: child, fresh: judging }
states:
  judging: { enter: [start tasks work] }
  over: { final: done }
moves:
  - { from: start, to: judging, by: human }
  - { from: judging, to: over, by: engine, when: { work: [all, none] } }
projection:
  - file: status.json
    as: json
    data:
      each: tasks.work.list
      key: item.id
      give:
        phase: { from: item.phase }
        counters: { from: item.counters }
        questions: { each: item.questions, give: { question: { from: item.question }, status: { from: item.status }, context: { from: item.context } } }
`);

let folder = "";
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-children-"));
  store = openStore(homeAt(join(folder, "state")));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

let made = 0;
/** What happens once, when files are looked at next. */
let between: () => Promise<void> = () => Promise.resolve();

function works(): Works {
  const home = homeAt(join(folder, "state"));
  const known = [PARENT, ABOUT, TOLD, SHOWN, INSIDE, CHILD, JUDGE];
  const all = new Map<string, Workflow>(known.map((each) => [each.hash(), each]));
  const artifacts = fileArtifacts(store);
  const some = {
    clock: { now: () => Date.parse(AT), mono: () => 0 },
    store,
    artifacts: {
      ...artifacts,
      read: async (place: Place) => (await inBetween(), artifacts.read(place)),
      collect: async (place: Place) => (await inBetween(), artifacts.collect(place)),
    },
    workspaces: {
      digest: () => Promise.resolve("t1"),
      requireDeliverable: () => Promise.resolve(),
      snapshot: () => Promise.resolve({ commit: "c1", notes: [] }),
    },
    settings: () => Promise.resolve({ workspace: { message: "{goal}" } }),
    folders: (run: string) => runFolders(home, run),
    workflow: (hash: string) => all.get(hash),
    library: (name: string) => Promise.resolve(name === "judge" ? JUDGE : CHILD),
    newRun: () => `c${(made += 1)}`,
    log: () => undefined,
  };
  return some as unknown as Works;
}

async function inBetween(): Promise<void> {
  const act = between;
  between = () => Promise.resolve();
  await act();
}

/** Everything that is due, as the supervisor does it. Gives how much there was for families. */
async function work(families = new Families(works())): Promise<number> {
  let acts = 0;
  for (let round = 0; round < 3; round += 1) {
    for (const row of await store.deeds("r1")) {
      if (row.status !== "pending") continue;
      await carriedOut(store, row.key, () => perform(works(), row));
    }
    const taken: Promise<void>[] = [];
    const hands = {
      isBusyWith: () => false,
      take: (_run: string, act: () => Promise<void>) => taken.push(act()),
    };
    await families.look(hands as unknown as Hands);
    acts += taken.length;
    await Promise.all(taken);
  }
  return acts;
}

async function begun(workflow: Workflow, params: Readonly<Record<string, string>> = {}): Promise<void> {
  const birth = { workflow: workflow.definition.name, goal: "X", repo: folder, base: "" };
  await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
  const outcome = await begin(works(), { run: "r1", by: HUMAN, workflow, birth, params });
  if (outcome.type === "refused") throw new Error(outcome.refusal.message);
  await work();
}

async function move(run: string, to: string): Promise<void> {
  const moved = await submit(works(), {
    run,
    by: HUMAN,
    event: ({ at, kept: _kept, ...facts }) => ({ type: "move-asked", by: HUMAN, at, to, ...facts }),
  });
  if (moved.type !== "accepted") throw new Error(JSON.stringify({ ...moved, run: "" }));
  await work();
}

const children = () => store.childrenOf("r1");
const state = async (): Promise<string> => (await store.load("r1"))?.run.state ?? "";

test("a run is made of no list: what it is for, how it ends, and anew each time", async () => {
  await begun(PARENT, { goal: `Judge\n  everything ${"x".repeat(300)}` });
  expect((await children()).map(({ task }) => task)).toEqual([
    { id: "meta", title: `Judge everything ${"x".repeat(183)}`, files: [], dependsOn: [] },
  ]);
  const [first] = await children();
  expect(first?.params).toEqual({ task: "meta", goal: first?.task.title, plan: "", parent: "r1" });
  await move(first?.run ?? "", "lost");
  expect([await state(), (await store.load("r1"))?.run.held["pass"]?.reading.fields["outcome"]]).toEqual([
    "bad",
    "none",
  ]);
  await move("r1", "judging");
  await move((await children()).at(-1)?.run ?? "", "done");
  expect(await state()).toBe("good");
  // What was done is not taken over: somebody wants it judged again.
  await move("r1", "judging");
  expect(await state()).toBe("judging");
  expect((await children()).map(({ outcome, took, status }) => [outcome, took, status])).toEqual([
    ["failed", "", "cancelled"],
    ["done", "", "done"],
    ["", "", "waiting"],
  ]);
});

test("a run that is led on while its child ends is not told any more", async () => {
  await begun(PARENT);
  await submit(works(), {
    run: (await children())[0]?.run ?? "",
    by: HUMAN,
    event: ({ at, kept: _kept, ...facts }) => ({ type: "move-asked", by: HUMAN, at, to: "done", ...facts }),
  });
  // Somebody is faster than whoever looks at the files before telling it.
  between = () => move("r1", "bad");
  await work();
  expect(await state()).toBe("bad");
  expect((await store.load("r1"))?.run.held["pass"]).toBeUndefined();
});

test("the work is known where a child begins with reading it, and is looked at when its parent is told", async () => {
  const row = { repo: folder, path: folder, branch: "b", base: "", salvage: "", kept: "" };
  await begun(ABOUT);
  const child = (await children())[0]?.run ?? "";
  expect((await store.load(child))?.run.tree).toBe("");
  await move(child, "done");
  await store.commit([{ type: "put-workspace", workspace: { ...row, run: "r1", status: "bound" } }]);
  await move("r1", "judging");
  const again = (await children()).at(-1)?.run ?? "";
  expect((await store.load(again))?.run.tree).toBe("t1");
  writeFileSync(join(folder, "a.txt"), "written by the child");
  await move(again, "done");
  expect(await state()).toBe("good");
  // What it said is about the file as it was then.
  await move("r1", "handed");
  expect(await state()).toBe("handed");
});

const DEFAULT = { tested: true, pace: "slow", least: 5 };

/** The parameters of the run that was made of a task. */
async function started(said: string, answer: string): Promise<unknown> {
  await begun(TOLD);
  const { files } = works().folders("r1");
  mkdirSync(files, { recursive: true });
  const more = said === "" ? "" : `, ${said}`;
  writeFileSync(join(files, "tasks.yaml"), `tasks:\n  - { id: "1", title: One, files: [a]${more} }\n`);
  if (answer !== "") writeFileSync(join(files, "answer.json"), answer);
  await move("r1", "building");
  return (await store.load((await children())[0]?.run ?? ""))?.run.params;
}

test.for<[said: string, answer: string, began: object]>([
  ["", "{}", DEFAULT],
  ["needs_qa: false", "{}", { ...DEFAULT, tested: false }],
  [
    "needs_qa: false, type: docs, flags: [safe], least: 9",
    '{"pace":"fast"}',
    { tested: false, pace: "fast", least: 9 },
  ],
  ["needs_qa: false, type: fix", "{}", DEFAULT],
  ["needs_qa: false, flags: [safe, risky]", "{}", DEFAULT],
  ["needs_qa: { no: true }", "{}", DEFAULT],
  // What is not good has said nothing.
  ["", '{"pace":1}', DEFAULT],
  ["", "", DEFAULT],
])("a task that says %s beside the answer %s", async ([said, answer, began]) => {
  expect(await started(said, answer)).toMatchObject(began);
});

test.for<[said: string, answer: string, message: string]>([
  ["needs_qa: perhaps", "{}", 'task 1 says needs_qa: "perhaps", and tested of child is true or false'],
  ["needs_qa: [true]", "{}", "task 1 says needs_qa: [true], and tested of child is true or false"],
  ["least: 10", "{}", "task 1 says least: 10, and least of child is a whole number from 1 to 9"],
  ["", '{"pace":"leisurely"}', 'answer.pace is "leisurely", and pace of child is one of slow, fast'],
])("no run is made of a task that says %s beside the answer %s", async ([said, answer, message]) => {
  await expect(started(said, answer)).rejects.toThrow(message);
});

test("the list shows how far its tasks are, and is the same list", async () => {
  await begun(SHOWN);
  const { files } = works().folders("r1");
  const file = join(files, "tasks.yaml");
  mkdirSync(files, { recursive: true });
  writeFileSync(
    file,
    "tasks: # mine\n  - { id: a, title: One, files: [x] }\n  - { id: b, title: Two, files: [y] }\n",
  );
  await move("r1", "building");
  const shown = async (): Promise<readonly string[]> => {
    expect(await project(works(), "r1")).toEqual([]);
    return [...readFileSync(file, "utf8").matchAll(/status: ([\w-]+)/g)].map(([, word = ""]) => word);
  };
  expect(await shown()).toEqual(["in-progress", "pending"]);
  await move((await children())[0]?.run ?? "", "done");
  expect(await shown()).toEqual(["completed", "in-progress"]);
  await move((await children())[1]?.run ?? "", "lost");
  expect([await state(), await shown()]).toEqual(["stuck", ["completed", "blocked"]]);
  // Nobody has changed the list: it still counts, and what is done stays done.
  await move("r1", "building");
  expect([await state(), await shown()]).toEqual(["building", ["completed", "in-progress"]]);
  expect(readFileSync(file, "utf8")).toBe(
    "tasks: # mine\n  - { id: a, status: completed, title: One, files: [x] }\n  - { id: b, status: in-progress, title: Two, files: [y] }\n",
  );
});

test("the files of a run show what the runs of its tasks say, and are behind when those go on", async () => {
  await begun(INSIDE);
  const { files } = works().folders("r1");
  const shown = (): unknown => JSON.parse(readFileSync(join(files, "status.json"), "utf8"));
  const run = (await children())[0]?.run ?? "";
  expect(shown()).toEqual({ meta: { phase: "WORK", counters: { doubts: 0 }, questions: [] } });
  await move(run, "asking");
  const question = { question: "Which of meta?", status: "pending", context: "WORK" };
  expect(shown()).toEqual({ meta: { phase: "ASK", counters: { doubts: 1 }, questions: [question] } });
  const families = new Families(works());
  await work(families);
  await submit(works(), {
    run,
    by: HUMAN,
    event: ({ at }) => ({ type: "answered", by: HUMAN, at, ask: "which", answer: "this", shown: "" }),
  });
  await work(families);
  const answered = { ...question, status: "answered" };
  expect(shown()).toEqual({ meta: { phase: "WORK", counters: { doubts: 1 }, questions: [answered] } });
  await move(run, "done");
  expect([await state(), shown()]).toEqual([
    "over",
    { meta: { phase: "done", counters: { doubts: 1 }, questions: [answered] } },
  ]);
});

test("the files of a run are left alone where the runs of its tasks go on and say the same", async () => {
  await begun(INSIDE);
  const families = new Families(works());
  await work(families);
  const run = (await children())[0]?.run ?? "";
  const event = { type: "observed", at: AT, tree: "t9" } as const;
  const [before] = await children();
  await submit(works(), { run, by: HUMAN, event: () => event });
  expect((await children())[0]?.seq).toBeGreaterThan(before?.seq ?? 0);
  expect(await work(families)).toBe(0);
});

test("what the run of a task says is read again only where it has gone on, and only where a file shows it", async () => {
  await begun(INSIDE);
  const loaded: string[] = [];
  const load: Store["load"] = (id) => (loaded.push(id), store.load(id));
  const counting = { ...works(), store: { ...store, load } };
  const run = (await children())[0]?.run ?? "";
  await project(counting, "r1");
  await project(counting, "r1");
  expect(loaded.filter((id) => id === run)).toHaveLength(1);
  await move(run, "asking");
  await project(counting, "r1");
  expect(loaded.filter((id) => id === run)).toHaveLength(2);
  expect([INSIDE, SHOWN].map(showsInside)).toEqual([true, false]);
});
