/** `task merge` as a person types it, and merges that were made elsewhere. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { PROGRAM, processesOf, story } from "./lives/life.ts";
import { clearFlows, makeFlow, type Flow } from "./flow-support.ts";

afterEach(clearFlows);

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const quiet = async (flow: Flow): Promise<void> => {
  await expect.poll(() => processesOf(flow).length, { timeout: 60_000 }).toBe(0);
};
const workspaceOf = (flow: Flow, run: string): Promise<string> =>
  flow.withStore(async (store) => (await store.workspace(run))?.path ?? "");
const branchOf = (flow: Flow, run: string): Promise<string> =>
  flow.withStore(async (store) => (await store.workspace(run))?.branch ?? "");

test.runIf(isPerson)(
  "task merge: refused where it cannot be, done where it can",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(2);
    const remote = join(flow.root, "remote.git");
    execFileSync("git", ["clone", "-q", "--bare", flow.repo, remote]);
    await flow.withStore(async (store) => {
      const project = await store.projectAt(flow.repo);
      if (project !== undefined)
        await store.commit([{ type: "put-project", project: { ...project, remote } }]);
    });
    const run = await flow.create("a change");
    const early = await flow.say(`task merge ${run}`);
    expect([4, 5]).toContain(early.code);
    await flow.until(run, ["reviewing"]);
    const [path, branch] = [await workspaceOf(flow, run), await branchOf(flow, run)];
    flow.git("push", "-q", remote, branch);
    const main = flow.git("rev-parse", "main");

    const tried: Record<string, unknown> = {};
    writeFileSync(join(flow.repo, "README.md"), "mine\n");
    tried["a dirty checkout"] = await flow.say(`task merge ${run}`);
    flow.git("checkout", "-q", "README.md");
    tried["a strategy that is none"] = await flow.say(`task merge ${run} --strategy rebase`);
    tried["two strategies"] = await flow.say(`task merge ${run} --strategy ff --squash`);
    expect(
      Object.fromEntries(Object.entries(tried).map(([what, of]) => [what, (of as { code: number }).code])),
    ).toEqual({ "a dirty checkout": 5, "a strategy that is none": 2, "two strategies": 2 });
    expect(flow.git("rev-parse", "main")).toBe(main);
    expect(await flow.state(run)).toBe("reviewing");

    const merged = await flow.say(`task merge ${run} --strategy merge --delete-remote`);
    expect(merged).toMatchObject({
      code: 0,
      document: { how: "merge", to: "done", remote: "deleted", into: "main", files: 1 },
    });
    expect(flow.git("log", "-1", "--format=%s|%an", "main")).toBe(`Merge task ${run}: a change|Life`);
    expect(readFileSync(join(flow.repo, `work-${run}.txt`), "utf8")).toBe(`${run}\n`);
    expect(flow.git("status", "--porcelain")).toBe("");
    expect(flow.git("ls-remote", remote, `refs/heads/${branch}`)).toBe("");
    const again = await flow.say(`task merge ${run} --delete-remote`);
    expect(again).toMatchObject({ code: 0, document: { how: "already", to: "done", remote: "deleted" } });
    await quiet(flow);
    await flow.withStore(async (store) => expect((await store.workspace(run))?.status).toBe("released"));
    expect(path).not.toBe("");
    expect((await flow.say(`verify ${run}`)).code).toBe(0);
  },
);

test.runIf(isPerson).for(IS_DEEP ? ["merge.after-ref", "merge.after-forget"] : ["merge.after-ref"])(
  "killed at %s, the task is done all the same",
  { timeout: 120_000 },
  async (place) => {
    const flow = await makeFlow(1);
    const run = await flow.create("a change");
    await flow.until(run, ["reviewing"]);
    await quiet(flow);
    const killed = await flow.say(`task merge ${run}`, { SIGNALBOX_FAILPOINT: place });
    expect(killed.code).toBeNull();
    const again = await flow.say(`task merge ${run}`);
    expect(again).toMatchObject({ code: 0, document: { how: "already", to: "done" } });
    expect(flow.git("status", "--porcelain")).toBe("");
  },
);

/** A task in reviewing whose worker left something out of its commits. */
async function reviewed(
  flow: Flow,
  how: "loose" | "half" | "reject",
  state: "reviewing" | "stuck" = "reviewing",
): Promise<string> {
  const run = await flow.create(`${how} work`, "--no-start");
  writeFileSync(join(flow.ledger, `${run}.${how}`), "");
  expect((await flow.say(`task start ${run}`)).code).toBe(0);
  await flow.until(run, [state]);
  await quiet(flow);
  return run;
}

const gitIn = (path: string, ...argv: string[]): string =>
  execFileSync("git", argv, { cwd: path, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

test.runIf(isPerson)(
  "an agent that takes over the history of main without its files: the merge is refused, and the history says why",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const hold = join(flow.ledger, "hold");
    writeFileSync(hold, "");
    const run = await flow.create("a change");
    const isAtWork = (): Promise<boolean> =>
      flow.withStore(async (store) => (await store.jobs({ run, status: "live" })).length > 0);
    await expect.poll(isAtWork, { timeout: 60_000 }).toBe(true);
    writeFileSync(join(flow.repo, "README.md"), "Of somebody else.\n");
    flow.git("commit", "--quiet", "--all", "--message", "elsewhere");
    const path = await workspaceOf(flow, run);
    gitIn(path, "fetch", "--quiet", flow.repo, "main");
    gitIn(path, "reset", "--quiet", "--soft", "FETCH_HEAD");
    rmSync(hold);
    await flow.until(run, ["reviewing"]);
    await quiet(flow);
    const said = "This would undo 1 file changed on main: README.md. Nothing was changed.";
    const at = flow.git("rev-parse", "main");
    expect(await flow.say(`task merge ${run}`)).toMatchObject({ code: 5, document: { message: said } });
    expect([flow.git("rev-parse", "main"), await flow.state(run)]).toEqual([at, "reviewing"]);
    const history = async (): Promise<string> =>
      JSON.stringify((await flow.say(`history ${run} --limit 1000`)).document);
    expect(await history()).toContain(`the merge was refused. ${said}`);
    expect(await flow.say(`task merge ${run} --allow-undo`)).toMatchObject({ code: 0 });
    expect(flow.git("show", "main:README.md")).toBe("A project.");
    expect(await history()).toContain("the merge undid 1 file changed on main: README.md");
    expect(await history()).toContain("merged into main");
  },
);

test.runIf(isPerson)(
  "what was reviewed is delivered: nothing has to be committed by anybody, and committing it changes nothing",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(2);
    const half = await reviewed(flow, "half");
    const merged = await flow.say(`task merge ${half} --squash`);
    expect(merged).toMatchObject({ code: 0, document: { how: "squash", files: 2, to: "done" } });
    expect(merged.document["message"]).toMatch(
      new RegExp(
        `^merged into main as one commit: 2 files, main is at [0-9a-f]+ "half work"; ${half} is done$`,
      ),
    );
    expect(flow.git("show", `main:work-${half}.txt`, `main:half-${half}.txt`)).toBe(`${half}\n${half}`);
    expect(flow.git("log", "-1", "--format=%an|%P", "main")).toBe(`Life|${flow.git("rev-parse", "main~1")}`);
    // What is done is not merged once more.
    const at = flow.git("rev-parse", "main");
    expect(await flow.say(`task merge ${half}`)).toMatchObject({
      code: 0,
      document: { how: "already", commit: at },
    });
    expect(flow.git("rev-parse", "main")).toBe(at);

    const loose = await reviewed(flow, "loose");
    const path = await workspaceOf(flow, loose);
    expect(gitIn(path, "status", "--porcelain", "--untracked-files=all")).toContain(`work-${loose}.txt`);
    gitIn(path, "add", "-A");
    gitIn(path, "commit", "-q", "-m", "The same content");
    expect(await flow.say(`task merge ${loose}`)).toMatchObject({ code: 0, document: { files: 2 } });
    expect(flow.git("show", `main:work-${loose}.txt`)).toBe(loose);
    expect(flow.git("show", "main:README.md")).toBe(`A project.\n${loose}`);
    expect(flow.git("status", "--porcelain")).toBe("");
  },
);

test.runIf(isPerson)(
  "a workspace that changed after the review: refused with the difference, until a person answers for it",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await reviewed(flow, "loose");
    const main = flow.git("rev-parse", "main");
    writeFileSync(join(await workspaceOf(flow, run), "late.txt"), "nobody reviewed it\n");
    const no = await flow.say(`task merge ${run}`);
    expect(no).toMatchObject({ code: 5, document: { code: "stale" } });
    expect(no.document["message"]).toContain("changed after review was made: late.txt. Nothing was merged.");
    expect([flow.git("rev-parse", "main"), await flow.state(run)]).toEqual([main, "reviewing"]);
    expect((await flow.say(`waive ${run} review --reason "seen"`)).code).toBe(0);
    expect(await flow.say(`task merge ${run}`)).toMatchObject({ code: 0, document: { files: 3 } });
    expect(flow.git("show", "main:late.txt")).toBe("nobody reviewed it");
  },
);

test.runIf(isPerson)(
  "a conflict: a worker that never commits types what it is told, and its work can be merged",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await reviewed(flow, "loose");
    writeFileSync(join(flow.repo, "README.md"), "Another project.\n");
    flow.git("commit", "-qam", "Meanwhile");
    const main = flow.git("rev-parse", "main");
    const no = await flow.say(`task merge ${run}`);
    expect(no).toMatchObject({ code: 5, document: { code: "merge-conflict" } });
    expect((await flow.say(String(no.document["next"]).replace("signalbox ", ""))).code).toBe(0);
    await flow.until(run, ["working", "agent-review"]);
    await flow.until(run, ["reviewing"]);
    await quiet(flow);
    expect(readFileSync(join(flow.ledger, `${run}.typed`), "utf8")).toContain("Merge conflict in README.md");
    // It has kept its own side of the conflict: a person decides whether the line of main may go.
    expect(await flow.say(`task merge ${run}`)).toMatchObject({ document: { code: "would-undo" } });
    const allowed = await flow.say(`task merge ${run} --allow-undo`);
    expect(allowed).toMatchObject({ code: 0, document: { to: "done" } });
    expect(flow.git("show", "main:README.md")).toBe(`A project.\n${run}`);
    expect(flow.git("merge-base", main, "main")).toBe(main);
  },
);

test.runIf(isPerson)(
  "a stuck task: sending it back comes first, and merging it past its failed reviews is named",
  { timeout: 180_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await reviewed(flow, "reject", "stuck");
    const shown = (line: string): string => printedIn(flow, line);
    expect(shown("inbox")).toMatch(
      new RegExp(`signalbox send-back ${run} "TEXT" +send it back[^]*signalbox retry ${run}`),
    );
    expect((await flow.say(`task request-changes ${run} "Add the test"`)).code).toBe(0);
    await flow.until(run, ["working", "agent-review"]);
    await flow.until(run, ["stuck"]);
    await quiet(flow);
    const waived = "2 reviews failed; you answer for it";
    expect(shown(`move ${run} reviewing`)).toContain(waived);
    expect(shown(`task merge ${run}`)).toMatch(new RegExp(`merged into main.*\n  ${waived}\n`));
  },
);

/** For people, not as data. */
function printedIn({ repo: cwd, env }: Flow, line: string): string {
  const said = spawnSync(process.execPath, [PROGRAM, ...line.split(" ")], { cwd, env, encoding: "utf8" });
  return said.stdout + said.stderr;
}

test.runIf(isPerson).for<[file: string, kept: boolean]>([
  ["nothing-more", false],
  ["notes.log", true],
])(
  "task cancel: the branch has the work as soon as the command says so, and %s is named if it is kept",
  { timeout: 120_000 },
  async ([file, isKept]) => {
    const flow = await makeFlow(1);
    const run = await reviewed(flow, "loose");
    writeFileSync(join(await workspaceOf(flow, run), "IDEA.md"), "half a thought\n");
    if (isKept) {
      writeFileSync(join(await workspaceOf(flow, run), ".gitignore"), "*.log\n");
      writeFileSync(join(await workspaceOf(flow, run), file), "kept\n");
    }
    const printed = printedIn(flow, `task cancel ${run} --yes`);
    const kept = `; files that git does not hold are kept: signalbox salvage show ${run}`;
    expect(printed).toContain(`  its branch has all of its work${isKept ? kept : ""}\n`);
    expect((await flow.say(`salvage show ${run}`)).code === 0).toBe(isKept);
    expect(flow.git("show", `${await branchOf(flow, run)}:IDEA.md`)).toBe("half a thought");
  },
);

type Elsewhere = readonly [how: string, merge: (flow: Flow, branch: string) => void];

const ELSEWHERE: readonly Elsewhere[] = [
  ["ff", (flow, branch) => flow.git("merge", "-q", "--ff-only", branch)],
  ["a merge commit", (flow, branch) => flow.git("merge", "-q", "--no-ff", "--no-edit", branch)],
  [
    "squash",
    (flow, branch) => {
      flow.git("merge", "-q", "--squash", branch);
      flow.git("commit", "-q", "-m", "squashed");
    },
  ],
];

test.runIf(isPerson).for(IS_DEEP ? ELSEWHERE : ELSEWHERE.slice(-1))(
  "reviewed work that is merged elsewhere (%s): the engine proposes, and a person ends it with one command",
  { timeout: 120_000 },
  async ([, merge]) => {
    const flow = await makeFlow(1);
    const run = await flow.create("a change");
    await flow.until(run, ["reviewing"]);
    await quiet(flow);
    merge(flow, await branchOf(flow, run));
    const at = flow.git("rev-parse", "main");
    // A command that only looks has it noticed.
    expect((await flow.say("task list")).code).toBe(0);
    await expect.poll(() => saysMerged(flow, run), { timeout: 30_000 }).toBe("refs/heads/main");
    await quiet(flow);
    // An agent without a sandbox can merge and push like a person: nothing that is seen ends a run.
    expect(await flow.state(run)).toBe("reviewing");
    expect(await story(flow, run)).toContain(
      `It looks merged: refs/heads/main, commit ${at.slice(0, 12)} by Life`,
    );

    const done = await flow.say(`task merge ${run}`);
    expect(done).toMatchObject({ code: 0, document: { how: "already", to: "done", files: 0 } });
    expect(done.document["message"]).toMatch(
      new RegExp(
        String.raw`^main already contains the reviewed work \(commit [0-9a-f]+ ".+"\); ${run} is done$`,
      ),
    );
    expect(flow.git("rev-parse", "main")).toBe(at);
    await quiet(flow);
    await flow.withStore(async (store) => {
      expect((await store.workspace(run))?.status).toBe("released");
      const moved = (await store.events(run)).findLast(({ event }) => event.type === "moved");
      expect(moved?.by).toMatchObject({ type: "human" });
    });
    expect(flow.git("fsck", "--strict")).toBe("");
  },
);

/** As an agent outside of a sandbox can: its commit is put into the user's repository, and refs there are written. */
const forge = async (flow: Flow, run: string, ref: string): Promise<void> => {
  flow.git("fetch", "-q", await workspaceOf(flow, run), "HEAD");
  flow.git("update-ref", ref, "FETCH_HEAD");
};

const saysMerged = async (flow: Flow, run: string): Promise<string> => {
  const items = (await flow.say("inbox")).document["items"] as readonly { run: string; reason: string }[];
  const reason = items.find((each) => each.run === run)?.reason ?? "";
  return /[Tt]he branch looks merged: (\S+),/.exec(reason)?.[1] ?? "";
};

/** Brings a task to a state; the flags say where its agents stop. */
async function taskIn(flow: Flow, state: string, flags: readonly string[]): Promise<string> {
  const run = await flow.create(state, "--no-start");
  for (const flag of flags) writeFileSync(join(flow.ledger, `${run}.${flag}`), "");
  await flow.say(`task start ${run}`);
  await flow.until(run, [state === "stuck" ? "working" : state]);
  if (state === "agent-review") return run;
  await quiet(flow);
  if (state === "stuck") await flow.say(`move ${run} stuck`);
  await quiet(flow);
  return run;
}

function unforge(flow: Flow, main: string): void {
  flow.git("update-ref", "refs/heads/main", main);
  flow.git("update-ref", "refs/remotes/origin/main", main);
}

const REFS = ["refs/heads/main", "refs/remotes/origin/main"];

test.runIf(isPerson)(
  "refs that were written before anything was handed over mean nothing",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await taskIn(flow, "working", ["hold"]);
    for (const ref of REFS) {
      const before = flow.git("rev-parse", "main");
      await forge(flow, run, ref);
      await flow.say("task list");
      await quiet(flow);
      expect([await flow.state(run), await saysMerged(flow, run)]).toEqual(["working", ""]);
      unforge(flow, before);
    }
    expect((await flow.say(`move ${run} done`)).code).toBe(5);
  },
);

/** Where the work was handed over. The reviewer of the last one stays, and a supervisor that is at work looks every few seconds only. */
const HANDED_OVER: readonly (readonly [state: string, flags: readonly string[]])[] = [
  ["reviewing", []],
  ["stuck", ["hold"]],
  ["agent-review", ["silent"]],
];

test.runIf(isPerson).for(IS_DEEP ? HANDED_OVER : HANDED_OVER.slice(0, 2))(
  "refs that were written by hand end no run in %s, and taken back they propose nothing: a person decides",
  { timeout: 240_000 },
  async ([state, flags]) => {
    const flow = await makeFlow(1);
    const run = await taskIn(flow, state, flags);
    for (const ref of REFS) {
      const before = flow.git("rev-parse", "main");
      await forge(flow, run, ref);
      await flow.say("task list");
      await expect.poll(() => saysMerged(flow, run), { timeout: 30_000 }).toBe(ref);
      expect(await flow.state(run)).toBe(state);
      unforge(flow, before);
      await flow.say("task list");
      await expect.poll(() => saysMerged(flow, run), { timeout: 30_000 }).toBe("");
    }
    await forge(flow, run, "refs/heads/main");
    await flow.say("task list");
    await expect.poll(() => saysMerged(flow, run), { timeout: 30_000 }).toBe("refs/heads/main");
    const { document } = await flow.say(`why ${run}`);
    expect(document["notes"]).toEqual([expect.stringContaining("the branch looks merged: refs/")]);
    // A person says that it is so: that, and nothing else, ends it.
    expect(await flow.say(`move ${run} done`)).toMatchObject({ code: 0, document: { to: "done" } });
    expect(await story(flow, run)).toContain("It looks merged: refs/heads/main");
  },
);

test.runIf(isPerson)(
  "accept of a task that is done, whose work was merged with another content: it is done, and no move is advised",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await flow.create("a change");
    await flow.until(run, ["reviewing"]);
    await quiet(flow);
    flow.git("merge", "-q", "--no-edit", "-s", "ours", "--no-ff", await branchOf(flow, run));
    const by = flow.git("rev-parse", "--short=7", "main");
    expect((await flow.say(`move ${run} done`)).code).toBe(0);
    const refused = await flow.say(`accept ${run}`);
    expect(refused).toMatchObject({
      code: 5,
      document: { code: "merge-reverted", next: `signalbox show ${run}` },
    });
    expect(refused.document["message"]).toMatch(
      new RegExp(`^${run} is done\\. The work of ${run} was merged into main by ${by}`),
    );
  },
);

test.runIf(isPerson)(
  "accept of a task that is done, on a conflict: the person merges",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const run = await reviewed(flow, "loose");
    writeFileSync(join(flow.repo, "README.md"), "Another project.\n");
    flow.git("commit", "-qam", "Meanwhile");
    expect((await flow.say(`move ${run} done`)).code).toBe(0);
    const there = `git -C '${flow.repo}'`;
    const next = `${there} switch main && ${there} merge ${await branchOf(flow, run)}, resolve the conflicts, commit`;
    const message = `${run} is done. Merge conflict in README.md. Nothing was changed.`;
    const code = "merge-conflict";
    expect(await flow.say(`accept ${run}`)).toMatchObject({ code: 5, document: { code, message, next } });
  },
);
