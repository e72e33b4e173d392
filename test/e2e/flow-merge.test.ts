/** `task merge` as a person types it, and merges that were made elsewhere. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { kill, processesOf } from "./lives/life.ts";
import { clearFlows, makeFlow, type Flow } from "./flow-support.ts";

afterEach(clearFlows);

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const quiet = async (flow: Flow): Promise<void> => {
  await expect.poll(() => processesOf(flow).length, { timeout: 60_000 }).toBe(0);
};
const workspaceOf = (flow: Flow, run: string): string =>
  flow.withStore((store) => store.workspace(run)?.path ?? "");
const branchOf = (flow: Flow, run: string): string =>
  flow.withStore((store) => store.workspace(run)?.branch ?? "");

test.runIf(isPerson)(
  "task merge: refused where it cannot be, done where it can",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(2);
    const remote = join(flow.root, "remote.git");
    execFileSync("git", ["clone", "-q", "--bare", flow.repo, remote]);
    flow.withStore((store) => {
      const project = store.projectAt(flow.repo);
      if (project !== undefined) store.putProject({ ...project, remote });
    });
    const run = await flow.create("a change");
    const early = await flow.say(`task merge ${run}`);
    expect([4, 5]).toContain(early.code);
    await flow.until(run, ["reviewing"]);
    const [path, branch] = [workspaceOf(flow, run), branchOf(flow, run)];
    flow.git("push", "-q", remote, branch);
    const main = flow.git("rev-parse", "main");

    const tried: Record<string, unknown> = {};
    writeFileSync(join(flow.repo, "README.md"), "mine\n");
    tried["a dirty checkout"] = await flow.say(`task merge ${run}`);
    flow.git("checkout", "-q", "README.md");
    writeFileSync(join(path, "README.md"), "not committed\n");
    tried["work that is not committed"] = await flow.say(`task merge ${run}`);
    execFileSync("git", ["checkout", "-q", "README.md"], { cwd: path });
    tried["a strategy that is none"] = await flow.say(`task merge ${run} --strategy rebase`);
    expect(
      Object.fromEntries(Object.entries(tried).map(([what, of]) => [what, (of as { code: number }).code])),
    ).toEqual({ "a dirty checkout": 5, "work that is not committed": 5, "a strategy that is none": 2 });
    expect(flow.git("rev-parse", "main")).toBe(main);
    expect(flow.state(run)).toBe("reviewing");

    const merged = await flow.say(`task merge ${run} --strategy merge --delete-remote`);
    expect(merged).toMatchObject({
      code: 0,
      document: { how: "merge", to: "done", remote: "deleted", into: "main" },
    });
    expect(flow.git("log", "-1", "--format=%s|%an", "main")).toBe(`Merge task ${run}: a change|Life`);
    expect(readFileSync(join(flow.repo, `work-${run}.txt`), "utf8")).toBe(`${run}\n`);
    expect(flow.git("status", "--porcelain")).toBe("");
    expect(flow.git("ls-remote", remote, `refs/heads/${branch}`)).toBe("");
    const again = await flow.say(`task merge ${run} --delete-remote`);
    expect(again).toMatchObject({ code: 0, document: { how: "already", to: "done", remote: "deleted" } });
    await quiet(flow);
    flow.withStore((store) => expect(store.workspace(run)?.status).toBe("released"));
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

/** How a task that has committed something comes to each state in which it is not over. */
const TO: Readonly<Record<string, (flow: Flow, run: string) => Promise<unknown>>> = {
  planning: (flow, run) => {
    const path = workspaceOf(flow, run);
    writeFileSync(join(path, "early.txt"), `early ${run}\n`);
    for (const argv of [
      ["add", "-A"],
      ["commit", "-q", "-m", "early"],
    ])
      execFileSync("git", argv, { cwd: path });
    return Promise.resolve();
  },
  working: () => Promise.resolve(),
  clarification: (flow, run) => flow.say(`move ${run} clarification`),
  stuck: (flow, run) => flow.say(`move ${run} stuck`),
  reviewing: () => Promise.resolve(),
  "agent-review": () => Promise.resolve(),
};

const SAMPLED = ["planning", "reviewing", "agent-review"];
const CASES = SAMPLED.map((state, at) => [state, ELSEWHERE[at]] as const);
const ALL = Object.keys(TO).flatMap((state) => ELSEWHERE.map((how) => [state, how] as const));
const CHOSEN = IS_DEEP ? ALL : CASES;

test.runIf(isPerson)(
  "a merge made elsewhere is noticed from every state, also when nobody is at work",
  { timeout: 600_000 },
  async () => {
    const flow = await makeFlow(CHOSEN.length);
    for (const [state, how] of CHOSEN) {
      if (how === undefined) throw new Error("no way to merge");
      const run = await flow.create(`${state} ${how[0]}`, "--no-start");
      // Its worker stops where it is told to.
      if (state === "planning") writeFileSync(join(flow.ledger, `${run}.stop`), "");
      if (state !== "reviewing" && state !== "agent-review")
        writeFileSync(join(flow.ledger, `${run}.hold`), "");
      if (state === "agent-review") writeFileSync(join(flow.ledger, `${run}.silent`), "");
      expect((await flow.say(`task start ${run}`)).code).toBe(0);
      await flow.until(run, [state === "clarification" || state === "stuck" ? "working" : state]);
      if (state !== "agent-review") await quiet(flow);
      await TO[state]?.(flow, run);
      expect(flow.state(run)).toBe(state);
      if (state !== "agent-review") await quiet(flow);
      how[1](flow, branchOf(flow, run));
      // Whoever looks has it noticed.
      expect((await flow.say("task list")).code).toBe(0);
      expect(await flow.until(run, ["done"])).toBe("done");
      await quiet(flow);
      flow.withStore((store) => {
        expect(store.workspace(run)?.status).toBe("released");
        const moved = store.events(run).findLast(({ event }) => event.type === "moved");
        expect(moved?.by).toEqual({ type: "engine" });
      });
    }
    expect(flow.git("fsck", "--strict")).toBe("");
    for (const { pid } of processesOf(flow)) kill(pid);
  },
);
