/** Beginning runs, following them, and getting them going again. */
import { claim, newFence, settle } from "../support/effects.ts";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { sampled } from "../support/sampled.ts";
import { NOTE_FILES } from "../support/home.ts";
import { folderWith, tiny } from "./calling.ts";
import { outcome, parsed, scene, type Scene } from "./acting-support.ts";

let on: Scene;
beforeAll(async () => {
  on = await scene();
});

async function load(id: string) {
  const kept = await on.withStore((store) => store.load(id));
  if (kept === undefined) throw new Error(`there is no run ${id}`);
  return kept;
}

const TAGGING = `$schema: workflow-1.schema.json
name: tagging
title: A person writes a summary, and the work is tagged
params: { tag: { text: "", set: human } }
artifacts:
  summary: { in: summary.json, json: { object: { commitMessage: text } }, by: human }
  tagged: { fact: tagged, fresh: tagging }
  untagged: { fact: tag-refused, fresh: tagging }
states:
  writing: { waits: true }
  tagging: { enter: [perform tag from summary as $tag] }
  over: { final: done }
moves:
  - { from: start, to: writing, by: human, reserve: workspace }
  - { from: writing, to: tagging, by: human, need: summary }
  - { from: tagging, to: over, by: engine, when: { tagged: holds }, do: [release workspace] }
  - { from: tagging, to: over, by: engine, when: { untagged: holds }, do: [release workspace] }
`;

test.for<[tag: string, expected: string]>([
  ["", "0 ok"],
  ["v2", "0 ok"],
  ["a b", "2 tag-name"],
  ["-d", "2 tag-name"],
  ["v1", "6 tag-name"],
  [" v1 ", "6 tag-name"],
])("a run that shall be tagged %j: %s", async ([tag, expected]) => {
  const repository = await scene({ ".signalbox/workflows/tagging/workflow.yaml": TAGGING });
  execFileSync("git", ["tag", "v1"], { cwd: repository.repo });
  const line = ["run", "tagging", "--detach", "--no-start", "--json", "--param", `tag=${tag}`];
  expect(await outcome(repository.say(line))).toBe(expected);
});

describe("what a run begins with", () => {
  test("goal, parameters, a branch of its own, and texts", async () => {
    const begun = await on.say(
      ["run", "essay", "About dates", "--detach", "--quiet", "--param", "size=3", "--param=kind=long"].concat(
        ["--with", "idea=good.md"],
      ),
    );
    const id = begun.stdout.trim();
    const { row, run } = await load(id);
    expect(row).toMatchObject({ workflow: "essay", goal: "About dates", repo: on.repo, state: "writing" });
    expect(run.params).toEqual({ goal: "About dates", branch: "about-dates", size: 3, kind: "long" });
    expect(run.held["idea"]?.reading.found).toBe(true);
  });

  test("a branch of a name", async () => {
    const id = await on.begin("branch", "--branch feature/x");
    expect((await load(id)).run.params["branch"]).toBe("feature/x");
  });

  test("only what waits is got going, and only where nobody says otherwise", async () => {
    expect((await load(await on.begin("a"))).row.state).toBe("writing");
    expect((await load(await on.begin("b", "--no-start"))).row.state).toBe("waiting");
    expect((await load(await on.begin("c", "--to waiting"))).row.state).toBe("waiting");
  });

  test.for<[line: string, expected: string]>([
    ["run essay --param size=9", "2 invalid"],
    ["run essay --param size=big", "2 invalid"],
    ["run essay --param size=9 --with idea=good.md", "2 invalid"],
    ["run essay --param size=9 --with idea=good.md --key k", "2 invalid"],
    ["run essay --param sizes=2", "2 unknown-parameter"],
    ["run essay --param size", "2 bad-usage"],
    ["run essay --param", "2 bad-usage"],
    ["run essay --with ideas=good.md", "2 unknown-artifact"],
    ["run essay --with idea=no-such.md", "2 not-found"],
    ["run essay --to asked", "4 not-in-map"],
    ["run essay --to asked --with idea=good.md", "4 not-in-map"],
    ["run esays", "2 unknown-workflow"],
  ])("%s: %s", async ([line, expected]) => {
    const left = async (): Promise<unknown> => [
      await on.withStore(async (store) => (await store.list({ limit: 1000 })).rows.length),
      readdirSync(join(on.home.root, "runs")).toSorted(),
    ];
    const before = await left();
    expect(await outcome(on.say(`${line} --json`))).toBe(expected);
    expect(await left()).toEqual(before);
  });

  test.for(
    sampled<[workflow: string, param: string]>(2, [
      ["orchestrated", "mode_now=lean"],
      ["orchestrated", "mode_now=full"],
      ["orchestrated", "strategy_now=per-batch"],
      ["orchestrated", "blocker=x"],
      ["orchestrated", "ci_status=green"],
      ["orchestrated-task", "blocker=x"],
      ["orchestrated-task", "ci_status=green"],
    ]),
  )("%s: %s is not for setting", async ([workflow, param]) => {
    const { stdout, code } = await on.say(["run", workflow, "A goal", "--param", param, "--json"]);
    expect([code, stdout]).toEqual([2, expect.stringMatching(/"kept-parameter".*may be set: goal,/s)]);
    const [name = ""] = param.split("=");
    expect(stdout.slice(stdout.indexOf("may be set"))).not.toContain(name);
  });

  test("a workflow that may not end is not begun", async () => {
    const other = await scene({
      ".signalbox/workflows/loop/workflow.yaml": tiny("loop", "  - { from: open, to: open, by: engine }\n"),
    });
    expect(await outcome(other.say("run loop --json"))).toBe("5 invalid-workflow");
  });

  test("nothing is begun outside a repository", async () => {
    const cwd = join(folderWith(), "..");
    expect(await outcome(on.say("run task --json", { cwd }))).toBe("2 no-repository");
  });
});

describe("trust", () => {
  test("what a repository brings is trusted first, and again when it has changed", async () => {
    const other = await scene(NOTE_FILES);
    await other.say("trust --revoke");
    expect(await outcome(other.say("run note --json"))).toBe("7 untrusted");
    await other.say("trust");
    expect(await outcome(other.say("run note --detach --json"))).toBe("0 ok");
    writeFileSync(join(other.repo, ".signalbox/workflows/note/prompts/good.md"), "Well?\n");
    expect(await outcome(other.say("run note --detach --json"))).toBe("7 untrusted");
  });

  test("a workflow that is named by its path was shown to nobody", async () => {
    const other = await scene({ "elsewhere.yaml": tiny("elsewhere") });
    expect(await outcome(other.say("run elsewhere.yaml --json"))).toBe("7 untrusted");
  });

  test("a workflow that only a worktree has is not what was trusted", async () => {
    const tree = join(on.root, "tree");
    execFileSync("git", ["worktree", "add", "--quiet", tree], { cwd: on.repo });
    for (const [name, text] of Object.entries(NOTE_FILES)) {
      mkdirSync(join(tree, name, ".."), { recursive: true });
      writeFileSync(join(tree, name), text);
    }
    expect(await outcome(on.say("run note --detach --json", { cwd: tree }))).toBe("7 untrusted");
  });
});

/** There is no supervisor: what it would have done counts as done. */
async function cancelAndSettle(id: string): Promise<void> {
  await on.say(`cancel ${id}`);
  await on.withStore(async (store) => {
    const fence = await newFence(store);
    for (const { key } of await store.deeds(id)) {
      await claim(store, key, { fence: fence, leaseUntil: Date.now() + 1000 });
      await settle(store, key, { fence: fence, outcome: { type: "done", note: "" } });
    }
  });
}

describe("following", () => {
  test("a good end: exit 0, with what happened", async () => {
    const { code, stdout } = await on.say("run essay --to accepted");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^[a-z0-9]{8}\n.*created it: accepted.*\n.* is accepted\n/s);
  });

  test("a person's turn: exit 3, with what to type", async () => {
    const printed = await on.say("run essay --no-start");
    const id = printed.stdout.slice(0, 8);
    expect(printed.code).toBe(3);
    expect(printed.stdout).toContain(`${id}: Waits for you in waiting.`);
    expect(printed.stdout).toContain(`signalbox move ${id} writing  on to writing\n`);
  });

  test("a question: with what led to it", async () => {
    const quiz = `$schema: ../../schema/workflow-1.schema.json
name: quiz
title: Somebody is asked
artifacts:
  idea: { in: IDEA.json, json: { object: { summary: text } }, by: human }
states:
  asked: { ask: good }
  closed: { final: done }
moves:
  - { from: start, to: asked, by: human }
asks:
  good: { question: good, shows: [idea], options: { yes: { to: closed } } }
`;
    const folder = ".signalbox/workflows/quiz";
    const other = await scene({
      [`${folder}/workflow.yaml`]: quiz,
      [`${folder}/prompts/good.md`]: "Is it good?\n",
      "idea.json": '{ "summary": "Dates are read twice" }\n',
    });
    const { code, stdout } = await other.say("run quiz --with idea=idea.json");
    expect(code).toBe(3);
    expect(stdout).toMatch(/: Is it good[?]\n  > .*\n  > summary: Dates are read twice\n/);
  });

  test("with --json: one document, at the end", async () => {
    const printed = await on.say("run essay --no-start --json");
    expect(printed.code).toBe(3);
    const document = parsed(printed);
    expect(document).toMatchObject({
      ok: false,
      code: "waiting-for-person",
      state: "waiting",
      status: "waiting",
    });
    expect(document["next"]).toBe(`signalbox move ${String(document["run"])} writing`);
  });

  test("whoever leaves is told that it goes on: exit 130", async () => {
    const gone = {
      print: (text: string): void => void (said += text),
      interrupted: () => AbortSignal.abort(),
    };
    let said = "";
    const { code } = await on.say("run essay", { live: gone });
    expect(code).toBe(130);
    expect(said).toContain("goes on without you, in writing");
  });

  test("what somebody else does is seen; an early end: exit 1", async () => {
    let said = "";
    let cancelled: Promise<void> | undefined;
    const print = (text: string): void => {
      said += text;
      if (/started it: writing|moved it to writing/.test(text)) cancelled = cancelAndSettle(said.slice(0, 8));
    };
    const live = { print, interrupted: () => new AbortController().signal };
    const { code } = await on.say("run essay", { live });
    await cancelled;
    expect(code).toBe(1);
    expect(said).toContain("moved it to dropped");
  });
});

describe("stop and resume", () => {
  test("a run that is halted has nothing due, and goes on when it is resumed", async () => {
    const id = await on.begin("halted");
    const stopped = await on.say(`stop ${id} --json`);
    expect(parsed(stopped)).toMatchObject({ run: id, state: "writing", halted: true, changed: true });
    expect(
      await on.withStore(async (store) => (await store.due(Date.now(), 100)).filter(({ run }) => run === id)),
    ).toEqual([]);
    expect(parsed(await on.say(`stop ${id} --json`))).toMatchObject({ changed: false });
    const resumed = await on.say(`resume ${id} --json`);
    expect(parsed(resumed)).toMatchObject({ unhalted: true, retried: [], respawned: [] });
    expect(
      await on.withStore(async (store) => (await store.due(Date.now(), 100)).filter(({ run }) => run === id)),
    ).toHaveLength(1);
  });

  test("what needs attention is tried again, and its run needs none any more", async () => {
    const id = await on.begin("attention");
    await on.withStore(async (store) => {
      const fence = await newFence(store);
      const key = (await store.deeds(id))[0]?.key ?? "";
      await claim(store, key, { fence: fence, leaseUntil: Date.now() + 1000 });
      await settle(store, key, {
        fence: fence,
        outcome: { type: "attention", note: "no room", next: `signalbox resume ${id}` },
      });
    });
    expect((await load(id)).row.attention).not.toBe("");
    const resumed = await on.say(`resume ${id} --json`);
    expect(parsed(resumed)).toMatchObject({ unhalted: false, retried: ["prepare-resource"] });
    expect((await load(id)).row.attention).toBe("");
  });

  test.for(["resume", "retry"])("%s: what needs attention without a deed is tried again", async (verb) => {
    const id = await on.begin(`unread ${verb}`);
    const attention = "lib is a separate git repository";
    await on.withStore((store) => store.commit([{ type: "attend", run: id, attention }]));
    const tried = await on.say(`${verb} ${id} --json`);
    expect(tried.code).toBe(0);
    expect(parsed(tried)["message"]).toContain("tried again: what needed attention");
    expect((await load(id)).row.attention).toBe("");
  });
});

describe("an agent that has crashed", () => {
  test("what is refused names what show offers: to start it again", async () => {
    const id = await on.begin("crashed, then accepted");
    await on.crash(id);
    const { code, stderr } = await on.say(`accept ${id}`);
    expect([code, stderr.split("\n")[1]]).toEqual([4, `  next: signalbox retry ${id}`]);
  });

  test.for<[name: string, line: string]>([
    ["resume", "resume RUN"],
    ["respawn", "task respawn RUN"],
    ["respawn by role", "task respawn RUN writer"],
  ])("%s starts it again, once", async ([name, line]) => {
    const id = await on.begin(`crashed ${name}`);
    await on.crash(id);
    expect((await load(id)).row.status).toBe("waiting");
    expect((await on.say(line.replace("RUN", id))).code).toBe(0);
    expect((await load(id)).run.agents["writer"]).toMatchObject({ status: "called", attempt: 2 });
    await on.say(line.replace("RUN", id));
    expect((await load(id)).run.agents["writer"]).toMatchObject({ status: "called", attempt: 2 });
  });

  test("following ends with the command that starts it again", async () => {
    let said = "";
    let crashed: Promise<void> | undefined;
    const print = (text: string): void => {
      said += text;
      if (/started it: writing|moved it to writing/.test(text)) crashed = on.crash(said.slice(0, 8));
    };
    const live = { print, interrupted: () => new AbortController().signal };
    expect((await on.say("run essay", { live })).code).toBe(3);
    await crashed;
    expect(said).toContain(`type: signalbox retry ${said.slice(0, 8)} `);
  });
});

describe("a run with a workspace", () => {
  test("is known by its folder; its branch can be told, and its work is looked at", async () => {
    const id = await on.begin("workspace");
    const path = join(on.root, "workspace");
    execFileSync("git", ["worktree", "add", "--quiet", "-b", "named-well", path], { cwd: on.repo });
    const base = (await load(id)).row.base;
    const row = { run: id, repo: on.repo, path, branch: "named-well", base, salvage: "", kept: "" };
    await on.withStore((store) =>
      store.commit([{ type: "put-workspace", workspace: { ...row, status: "bound" } }]),
    );
    const here = { cwd: path };
    expect(await outcome(on.say("task update --branch --json", here))).toBe("0 ok");
    expect((await load(id)).run.params["branch"]).toBe("named-well");
    writeFileSync(join(path, "ESSAY.md"), "# What\n\nA thing.\n");
    expect(await outcome(on.say("submit essay --json", here))).toBe("0 ok");
    expect((await load(id)).run.tree).toMatch(/^[0-9a-f]{40}/);
    expect(await outcome(on.say("move asked --json", here))).toBe("0 ok");
  });
});
