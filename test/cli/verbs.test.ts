/** Verbs of people on tasks: what each does where, what it refuses, and what to type instead. */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import type { Event } from "../../src/core/model/event.ts";
import { cancel } from "../../src/app/act/run/cancel.ts";
import { acting } from "../../src/app/context.ts";
import { AT_HOME } from "../support/procs.ts";
import { folderOf } from "../support/workflows.ts";
import { document, PLAN, taskScene, type Tasks } from "./task-support.ts";

let on: Tasks;
beforeEach(async () => {
  on = await taskScene();
});

/** Exit code, code and states of one call. */
async function said(...words: readonly string[]): Promise<string> {
  const printed = await on.say([...words, "--json"]);
  const { code, from, to } = document(printed);
  return [printed.code, code, ...(to === undefined ? [] : [from, "->", to])].join(" ");
}

async function notesOf(id: string): Promise<(string | undefined)[]> {
  return (await on.withStore((store) => store.events(id))).flatMap(({ event }) =>
    event.type === "move-asked" ? [event.note] : [],
  );
}

async function asksOf(id: string): Promise<Event[]> {
  const events = (await on.withStore((store) => store.events(id))).map(({ event }) => event);
  return events.filter(({ type }) => type === "move-asked");
}

function pageOf(id: string): string {
  return readFileSync(join(runFolders(on.home, id).files, "TASK.md"), "utf8");
}

test.for<[state: string, words: readonly string[], said: string]>([
  ["pending", ["accept"], "0 ok pending -> planning"],
  ["pending", ["send-back", "more"], "4 not-in-map"],
  ["pending", ["retry"], "4 not-in-map"],
  ["pending", ["cancel"], "0 ok pending -> cancelled"],
  ["planning", ["accept"], "4 not-in-map"],
  ["planning", ["answer", "ISO"], "4 not-in-map"],
  ["clarification", ["answer", "ISO dates, please"], "0 ok clarification -> planning"],
  ["clarification", ["answer"], "2 needs-text"],
  ["clarification", ["answer", "ISO", "--shown", "abcdefgh"], "6 conflict"],
  ["clarification", ["send-back", "x"], "4 not-in-map"],
  ["reviewing", ["send-back", "leap years"], "0 ok reviewing -> working"],
  ["reviewing", ["send-back"], "2 needs-text"],
  ["reviewing", ["send-back", "x", "--to", "planning"], "5 gate-not-met"],
  ["reviewing", ["send-back", "x", "--to", "nowhere"], "2 bad-usage"],
  ["reviewing", ["retry"], "4 not-in-map"],
  // It has no branch here: test/e2e merges.
  ["reviewing", ["accept"], "5 no-branch"],
  ["reviewing", ["accept", "--to", "done"], "5 no-branch"],
  // Nothing is delivered for a word that names something else.
  ["reviewing", ["accept", "--to", "nowhere"], "2 bad-usage"],
  ["reviewing", ["accept", "--to", "working"], "5 gate-not-met"],
  ["done", ["accept", "--to", "nowhere"], "4 finished"],
  ["stuck", ["send-back", "leap years"], "0 ok stuck -> working"],
  ["stuck", ["retry"], "0 ok stuck -> working"],
  // It has no work here that somebody could answer for.
  ["stuck", ["accept", "why"], "5 gate-not-met"],
  ["stuck", ["cancel"], "0 ok stuck -> cancelled"],
  ["done", ["accept"], "4 finished"],
  ["cancelled", ["retry"], "4 finished"],
])("%s: %j is %s", async ([state, [verb = "", ...rest], outcome]) => {
  const id = await on.taskIn(state);
  expect(await said(verb, id, ...rest)).toBe(outcome);
});

describe("a path", () => {
  test("is one event; the words go with it and to the page", async () => {
    const id = await on.taskIn("stuck");
    const { stdout, stderr } = await on.say(["send-back", id, "Also leap years"]);
    expect(stdout).toBe(`sent back; ${id} goes from stuck to working\n`);
    // It only passes through where somebody answers for the work.
    expect(stderr).not.toContain("you answer for it");
    expect((await asksOf(id)).at(-1)).toMatchObject({
      through: ["reviewing"],
      to: "working",
      note: "Also leap years",
    });
    expect(pageOf(id)).toMatch(/^## Fix Instructions\n\n\S+ \S+\n\nAlso leap years$/m);
    expect((await on.say(["history", id])).stdout).toContain('moved it to working: "Also leap years"');
  });

  test("is tried again with what stopped it, where the person says nothing", async () => {
    const id = await on.taskIn("stuck");
    await on.say(["retry", id]);
    expect(pageOf(id)).toMatch(/^## Fix Instructions\n\n\S+ \S+\n\nTry again\./m);
  });

  test("happens once under one key", async () => {
    const id = await on.taskIn("stuck");
    const first = await said("send-back", id, "more", "--key", "k1");
    expect(await said("send-back", id, "more", "--key", "k1")).toBe(first);
    expect((await notesOf(id)).filter((note) => note === "more")).toHaveLength(1);
  });

  test.for<[state: string, words: string, reason: string]>([
    ["stuck", "Look:\n## Review\nis wrong", 'the heading "Review"'],
    ["stuck", "Look:\n\n```\nunclosed", "does not close the code fence"],
    ["reviewing", "Look:\n\n<!-- unclosed", "does not close the HTML comment"],
    ["reviewing", "a line of a log\n".repeat(20_000), "it would be larger than 196608 bytes"],
  ])("leaves the run in %s if the words cannot be written", async ([state, words, reason]) => {
    const id = await on.taskIn(state);
    appendFileSync(join(runFolders(on.home, id).files, "TASK.md"), "\n## Fix Instructions\n\nof before\n");
    const now = async (): Promise<unknown> => [await on.withStore((store) => store.load(id)), pageOf(id)];
    const before = await now();
    const { code, stderr } = await on.say(["send-back", id, words]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(await now()).toEqual(before);
  });
});

test("an answer in words is kept whole", async () => {
  const id = await on.taskIn("clarification");
  const words = `${"word ".repeat(900)}last`;
  expect(await said("answer", id, words)).toBe("0 ok clarification -> planning");
  expect((await notesOf(id)).at(-1)).toBe(words);
});

test("of two people at once one decides, and its words are the ones on the page", async () => {
  const id = await on.taskIn("reviewing");
  const both = ["FIRST", "SECOND"].map(async (words) => ({ words, is: await said("send-back", id, words) }));
  const [won, ...others] = (await Promise.all(both)).filter(({ is }) => is.startsWith("0 "));
  expect(others).toEqual([]);
  expect(pageOf(id)).toMatch(new RegExp(`^## Fix Instructions\\n\\n\\S+ \\S+\\n\\n${won?.words}$`, "m"));
});

test("a branch does not take over the first letters of another run", async () => {
  const [other, own] = [await on.taskIn("reviewing"), await on.taskIn("reviewing")];
  const short = other.slice(0, 4);
  on.git(on.repo, "branch", short);
  await on.withStore(async (store) => {
    const path = join(on.repo, "..", "w");
    const row = { run: own, repo: on.repo, path, branch: short, base: "", salvage: "", kept: "" };
    await store.commit([{ type: "put-workspace", workspace: { ...row, status: "bound" } }]);
  });
  expect(await said("send-back", short, "more")).toBe("2 ambiguous-run");
  expect(await said("send-back", other, "more")).toBe("0 ok reviewing -> working");
});

test("a summary has a limit, and does not colour what is printed after it", async () => {
  const id = await on.taskIn("reviewing");
  expect(await said("task", "update", id, "--summary", "s".repeat(2001))).toBe("2 too-large");
  expect(await said("task", "update", id, "--summary", "evil\u001B[31mRED")).toContain("0 ok");
  for (const line of ["list", `show ${id}`, `inbox`, `task list`, `watch --once`]) {
    const { stdout } = await on.say(line.split(" "), { terminal: true, width: 160 });
    expect(stdout).toContain("evilRED");
    expect(stdout).not.toContain("\u001B[31m");
  }
});

test("an answer without a name finds the runs that wait for words", async () => {
  const answered = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await on.say(["answer", ...words]);
    return `${code} ${stdout}${stderr}`;
  };
  await on.taskIn("reviewing");
  await on.taskIn("planning");
  expect(await answered()).toMatch(/^4 signalbox: nothing is asked at the moment\n/);
  const [one, two] = [await on.taskIn("clarification"), await on.taskIn("clarification")];
  const both = await answered();
  expect(both).toMatch(/^2 signalbox: several questions are open: /);
  expect([both.includes(one), both.includes(two)]).toEqual([true, true]);
  await on.say(["answer", one, "Here"]);
  expect(await answered("ISO dates, please")).toMatch(/^0 /);
  expect(await on.stateOf(two)).toBe("planning");
  expect((await notesOf(two)).at(-1)).toBe("ISO dates, please");
});

test.for<[asked: string, shown: string]>([
  ["Which format?", "# Which format? (2)\n"],
  ["", "# The worker has questions\n"],
])("the editor shows what is asked: %j", async ([asked, shown]) => {
  const id = await on.taskIn("planning");
  if (asked !== "") on.page(id, { Questions: asked });
  const asking = asked === "" ? on.say : await on.as(id, "worker");
  expect((await asking(["move", id, "clarification"])).code).toBe(0);
  const seen = join(on.repo, "seen.md");
  const env = { ...on.env, VISUAL: "", EDITOR: `sh -c 'cp "$0" ${seen}; echo "ISO" > "$0"'` };
  expect((await on.say(["answer", id], { isTyped: () => true, env })).code).toBe(0);
  expect(readFileSync(seen, "utf8")).toContain(shown);
  expect((await notesOf(id)).at(-1)).toBe("ISO");
});

test("without an editor, the terminal shows what is asked and takes one line", async () => {
  const { stdin, stderr } = Object.getOwnPropertyDescriptors(process);
  const id = await on.taskIn("clarification");
  const [input, output] = [new PassThrough(), new PassThrough()];
  Object.defineProperties(process, { stdin: { get: () => input }, stderr: { get: () => output } });
  try {
    input.end("ISO dates, please\n");
    const env = { ...on.env, VISUAL: "", EDITOR: "" };
    expect((await on.say(["answer"], { isTyped: () => true, env })).code).toBe(0);
  } finally {
    Object.defineProperties(process, { stdin, stderr });
  }
  expect(String(output.read())).toBe("The worker has questions\n> ");
  expect((await notesOf(id)).at(-1)).toBe("ISO dates, please");
});

test.for<[verb: string, letters: number, isEnough: boolean]>([
  ["accept", 1, false],
  ["accept", 3, false],
  ["accept", 4, true],
  ["cancel", 3, false],
  ["stop", 1, false],
  ["answer", 1, false],
  // Looking harms nothing.
  ["show", 1, true],
  ["follow", 1, true],
])("%s by the first letters of a run: %d", async ([verb, letters, isEnough]) => {
  const id = await on.taskIn("pending");
  const live = { print: () => undefined, interrupted: () => AbortSignal.timeout(1) };
  const word = id.slice(0, letters);
  const { code, stderr } = await on.say([verb, word], { live });
  const refused = `signalbox: "${word}" is too short to act on run ${id} (A task)\n  next: type its whole id: ${id}\n`;
  expect(stderr === refused).toBe(!isEnough);
  expect(code === 2).toBe(!isEnough);
});

test("a question of a worker goes back to where it was asked", async () => {
  const id = await on.taskIn("working");
  await on.say(["move", id, "clarification"]);
  expect(await said("answer", id, "To everybody")).toBe("0 ok clarification -> working");
  expect((await notesOf(id)).at(-1)).toBe("To everybody");
});

test("a refusal says what is open, and what to type", async () => {
  const id = await on.taskIn("reviewing");
  const { stderr } = await on.say(["retry", id]);
  expect(stderr).toBe(
    [
      `signalbox: "A task" (${id}) is in reviewing, and there is nothing to try again`,
      `  next: signalbox accept ${id}`,
      `    or: signalbox send-back ${id} "TEXT"`,
      "",
    ].join("\n"),
  );
  expect(await on.stateOf(id)).toBe("reviewing");
});

test("where no review failed, trying again comes first, and accepting last", async () => {
  const id = await on.taskIn("stuck");
  const { stdout } = await on.say(["next", id, "--json"]);
  const { actions } = JSON.parse(stdout) as { actions: { verb: string }[] };
  expect(actions.map(({ verb }) => verb)).toEqual(["retry", "send-back", "cancel"]);
});

test("a stopped run goes on before anything else is tried", async () => {
  const id = await on.taskIn("stuck");
  await on.say(["stop", id]);
  expect(await said("retry", id)).toBe("0 ok stuck -> stuck");
  expect(await said("retry", id)).toBe("0 ok stuck -> working");
});

test("retry with one key is one act, also where it only resumed the run", async () => {
  const id = await on.taskIn("stuck");
  await on.say(["stop", id]);
  for (const key of ["k", "k", "k"])
    expect(await said("retry", id, "--key", key)).toBe("0 ok stuck -> stuck");
  expect(await said("retry", id, "--key", "other")).toBe("0 ok stuck -> working");
});

test("completion offers runs for which a command applies, and states that a run can be moved to", async () => {
  const [reviewing, done] = [await on.taskIn("reviewing"), await on.taskIn("done")];
  const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await on.say(["completion", "--line", "--", ...words, ""]);
    return stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0] ?? "");
  };
  const among = async (...words: readonly string[]): Promise<readonly boolean[]> => {
    const found = await offered(...words);
    return [found.includes(reviewing), found.includes(done)];
  };
  expect(await among("task", "merge")).toEqual([true, false]);
  const other = await on.say(["run", "design-approval", "A goal", "--detach", "--quiet"]);
  expect((await offered("show")).includes(other.stdout.trim())).toBe(true);
  expect((await offered("task", "show")).includes(other.stdout.trim())).toBe(false);
  expect(await among("retry")).toEqual([false, false]);
  expect(await among("cancel")).toEqual([true, false]);
  expect(await among("delete")).toEqual([false, true]);
  expect(await among("show")).toEqual([true, true]);
  const states = ["working", "done", "cancelled"];
  expect(await offered("move", reviewing)).toEqual(states);
  expect(await offered("move", reviewing.slice(0, 7))).toEqual(states);
  const branch = await on.withStore(async (store) => (await store.load(reviewing))?.run.params["branch"]);
  expect(await offered("move", String(branch))).toEqual(states);
  expect(await offered("task", "create", "--harness")).toContain("codex");
  expect(await offered("create", "--harness")).toContain("codex");
  const asking = await on.taskIn("clarification");
  expect(await offered("answer")).toContain(asking);
  expect(await offered("answer")).not.toContain(reviewing);
});

test("nothing is tried again for somebody who saw something else", async () => {
  const id = await on.taskIn("stuck");
  await on.say(["stop", id]);
  expect(await said("retry", id, "--shown", "abcdefgh")).toBe("6 conflict");
  expect(await on.withStore(async (store) => (await store.load(id))?.row.halted)).toBe(true);
});

test("a move that waives says what the person answers for", async () => {
  const id = await on.taskIn("stuck");
  const { stderr } = await on.say(["move", id, "reviewing"]);
  expect(stderr).toContain("no review was made of this work; you answer for it");
});

test("a move to where accepting merges says that nothing was merged", async () => {
  const id = await on.taskIn("reviewing");
  const { stderr } = await on.say(["move", id, "done"]);
  expect(stderr).toContain("nothing was merged");
});

test("a workflow of one's own without verbs still sends work back", async () => {
  const builtIn = join(folderOf("task"), "workflow.yaml");
  const whole = readFileSync(builtIn, "utf8");
  const bare = whole
    .replaceAll(/^ +(verb|text|into|deliver): .*\n/gm, "")
    .replaceAll(/, verb: [a-z-]+/g, "")
    .replace(/^verbs:\n( {2}-.*\n)+/m, "");
  const prompts = readdirSync(join(folderOf("task"), "prompts")).map((file): [string, string] => [
    `.signalbox/workflows/task/prompts/${file}`,
    readFileSync(join(folderOf("task"), "prompts", file), "utf8"),
  ]);
  on = await taskScene({ ".signalbox/workflows/task/workflow.yaml": bare, ...Object.fromEntries(prompts) });
  const id = await on.taskIn("reviewing");
  expect(await said("accept", id)).toBe("4 not-in-map");
  // Nothing is offered that is refused.
  for (const [state, verbs] of [
    ["reviewing", ["send-back", "move", "cancel"]],
    ["stuck", ["move", "cancel"]],
  ] as const) {
    const run = await on.taskIn(state);
    const row = {
      run,
      repo: on.repo,
      path: join(on.repo, "..", run),
      branch: run,
      base: "",
      salvage: "",
      kept: "",
    };
    await on.withStore((store) =>
      store.commit([{ type: "put-workspace", workspace: { ...row, status: "released" } }]),
    );
    const { actions } = document(await on.say(["show", run, "--json"])) as { actions: { command: string }[] };
    expect(actions.map(({ command }) => command.split(" ")[1])).toEqual(verbs);
  }
  expect(await said("task", "request-changes", id, "leap years")).toBe("0 ok reviewing -> working");
  expect((await notesOf(id)).at(-1)).toBe("leap years");
});

test("only people have verbs", async () => {
  const id = await on.taskIn("stuck");
  for (const verb of ["accept", "send-back", "retry", "cancel"])
    expect((await (await on.as(id, "worker"))([verb, id, ...(verb === "cancel" ? [] : ["x"])])).code).toBe(4);
});

test("without words the editor is opened at a terminal", async () => {
  const id = await on.taskIn("reviewing");
  const env = { ...on.env, VISUAL: "", EDITOR: `sh -c 'echo "From the editor" > "$0"'` };
  expect((await on.say(["task", "request-changes", id], { isTyped: () => true, env })).code).toBe(0);
  expect(pageOf(id)).toContain("From the editor");
  const other = await on.taskIn("reviewing");
  const unsaid = await on.say(["send-back", other], { isTyped: () => true, env: { ...env, EDITOR: "true" } });
  expect(unsaid.code).toBe(2);
  expect(await on.stateOf(other)).toBe("reviewing");
});

/** An editor that is a script: `$1` is the file, and what it prints is the new text. */
function editing(script: string): Record<string, string> {
  const file = join(on.root, "editor.sh");
  writeFileSync(file, `{ ${script}; } >"$1.new" && mv "$1.new" "$1"\n`);
  return { ...on.env, VISUAL: "", EDITOR: `sh ${file}` };
}

test.for<[what: string, script: string, words: string]>([
  [
    "headings and numbers of issues",
    `printf '### First\\n\\n#12: mend it\\n'; cat "$1"`,
    "### First\n\n#12: mend it",
  ],
  ["the first line of ours is gone", `echo Mend it; grep -v '>8' "$1"`, "Mend it"],
  ["all lines of ours are gone", "echo Mend it", "Mend it"],
])("words from the editor are passed on as they are: %s", async ([, script, words]) => {
  const id = await on.taskIn("reviewing");
  const { code } = await on.say(["send-back", id], { isTyped: () => true, env: editing(script) });
  expect(code).toBe(0);
  expect(pageOf(id)).toMatch(new RegExp(`## Fix Instructions\n\n.*\n\n${words}\n(?:\n## |$)`));
});

test("words from the editor are kept where they are refused", async () => {
  const id = await on.taskIn("reviewing");
  const env = editing("printf 'Mend it\\n\\n## Soon\\n'");
  const { code, stderr } = await on.say(["send-back", id], { isTyped: () => true, env });
  expect(code).toBe(1);
  const [, file = ""] = /Your words are in (\S+)/.exec(stderr) ?? [];
  expect(readFileSync(file, "utf8")).toBe("Mend it\n\n## Soon\n");
  rmSync(dirname(file), { recursive: true });
});

test("a cancellation is about the run as it is, also when an agent moves it at that moment", async () => {
  const id = await on.taskIn("planning");
  const worker = await on.as(id, "worker");
  let moved: number | undefined;
  const door = {
    cwd: on.repo,
    home: on.root,
    env: on.env,
    procs: AT_HOME,
    startSupervisor: () => undefined,
  };
  const outcome = await acting(door, (acts) => {
    const { store } = acts.box;
    const commit: typeof store.commit = async (batch) => {
      if (moved === undefined && batch.some(({ type }) => type === "append")) {
        moved = -1;
        on.page(id, { Plan: PLAN });
        moved = (await worker(["complete"])).code;
      }
      return store.commit(batch);
    };
    return cancel({ ...acts, box: { ...acts.box, store: { ...store, commit } } }, { run: id });
  });
  expect([moved, outcome.data]).toMatchObject([0, { from: "working", to: "cancelled" }]);
});
