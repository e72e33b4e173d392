/** Many tasks and few agents at a time, tasks that depend on others, and what commands say meanwhile. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { clearFlows, makeFlow, turnsOf, type Flow } from "./flow-support.ts";
import { processesOf } from "./lives/life.ts";

afterEach(clearFlows);

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const COUNT = IS_DEEP ? 32 : 4;

test.runIf(isPerson)(
  "twelve tasks, nobody at the keyboard: never more agents than the limit, all reach review, and a higher limit counts at once",
  { timeout: 240_000 },
  async () => {
    const flow = await makeFlow(4);
    const most = async (): Promise<number> => Math.max(...(await turnsOf(flow)).map(({ count }) => count));
    // No agent ends while this file exists: more of them can only be at work because more may be.
    const hold = join(flow.ledger, "hold");
    writeFileSync(hold, "");
    const runs: string[] = [];
    for (let at = 0; at < 12; at += 1) runs.push(await flow.create(`task ${at}`));
    await expect.poll(() => aliveIn(flow), { timeout: 60_000 }).toBe(4);
    const last = runs.at(-1) ?? "";
    const full = "4 of 4 agents at work (raise with: signalbox project update repo --agents 8)";
    expect((await flow.say(`show ${last}`)).document["waits"]).toMatchObject({
      kind: "queue",
      sentence: `Queued: ${full}`,
    });
    const pending = async (): Promise<number> =>
      (await Promise.all(runs.map((run) => flow.state(run)))).filter((state) => state === "pending").length;
    expect([await pending(), await most()]).toEqual([8, 4]);
    expect((await flow.say("project update --agents 6")).code).toBe(0);
    await expect.poll(() => aliveIn(flow), { timeout: 60_000 }).toBe(6);
    expect(await pending()).toBe(6);
    rmSync(hold);
    for (const run of runs) await flow.until(run, ["reviewing"]);
    expect(await most()).toBe(6);
  },
);

test.runIf(isPerson)(
  "tasks that go on are no more agents than the limit either, and a higher limit counts at once",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(2);
    const runs: string[] = [];
    for (const name of ["the first", "the second", "the third"]) runs.push(await flow.create(name));
    for (const run of runs) await flow.until(run, ["reviewing"]);
    const isIdle = (): Promise<boolean> => flow.withStore(async (store) => !(await store.isBusy()));
    await expect.poll(isIdle, { timeout: 60_000 }).toBe(true);
    writeFileSync(join(flow.ledger, "hold"), "");
    for (const run of runs) expect((await flow.say(`task request-changes ${run} "once more"`)).code).toBe(0);
    const waiting = (): Promise<number> =>
      flow.withStore(async (store) => (await store.queuedDeeds()).length);
    await expect.poll(async () => (await aliveIn(flow)) + (await waiting()), { timeout: 60_000 }).toBe(3);
    expect([await aliveIn(flow), await waiting()]).toEqual([2, 1]);
    expect((await flow.say("project update --agents 3")).code).toBe(0);
    await expect.poll(() => aliveIn(flow), { timeout: 60_000 }).toBe(3);
  },
);

/** Agents that have begun a turn and have not ended it. */
async function aliveIn({ withStore }: Flow): Promise<number> {
  const dirs = (await withStore((store) => store.jobs({ status: "live" }))).flatMap(({ kind, dir }) =>
    kind === "turn" ? [dir] : [],
  );
  return dirs.filter((dir) => existsSync(join(dir, "claim")) && !existsSync(join(dir, "exit"))).length;
}

test.runIf(isPerson)(
  "one agent at a time: three tasks reach review, nobody types anything in between",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const one = await flow.create("the first");
    const two = await flow.create("the second");
    const three = await flow.create("the third");
    for (const run of [one, two, three]) await flow.until(run, ["reviewing"]);
    expect(Math.max(...(await turnsOf(flow)).map(({ count }) => count))).toBe(1);
    expect((await flow.say(`task cancel ${two} --yes`)).code).toBe(0);
    await flow.withStore(async (store) => {
      expect(await store.queued()).toEqual([]);
      const by = (await store.events(two)).find(
        ({ event }) => event.type === "moved" && event.to === "planning",
      );
      expect(by?.by).toEqual({ type: "engine" });
    });
    const { code } = await flow.say(`verify ${two}`);
    expect(code).toBe(0);
  },
);

test.runIf(isPerson)(
  "an agent that waits until another has ended: what commands say, and a person who cancels its task",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    writeFileSync(join(flow.ledger, "hold"), "");
    const one = await flow.create("the first");
    const isAtWork = (): Promise<boolean> =>
      flow.withStore(async (store) => (await store.jobs({ run: one, status: "live" })).length > 0);
    await expect.poll(isAtWork, { timeout: 60_000 }).toBe(true);
    // It begins with questions at once, and its worker asks.
    const asking = await flow.say(
      "task create --status clarification --harness worker --review-harness reviewer",
    );
    const two = String(asking.document["run"]);
    expect([asking.code, await flow.state(two)]).toEqual([0, "clarification"]);
    const isQueued = (): Promise<boolean> =>
      flow.withStore(async (store) => (await store.deeds(two)).some((deed) => deed.isQueued));
    await expect.poll(isQueued, { timeout: 60_000 }).toBe(true);
    const full = "1 of 1 agents at work (raise with: signalbox project update repo --agents 2)";
    expect((await flow.say(`show ${two}`)).document["waits"]).toMatchObject({
      kind: "queue",
      sentence: `Queued: worker cannot begin: ${full}`,
    });
    const path = await flow.withStore(async (store) => (await store.workspace(two))?.path ?? "");
    expect(existsSync(path)).toBe(true);
    expect((await flow.say(`task cancel ${two} --yes`)).code).toBe(0);
    const left = (): Promise<number> =>
      flow.withStore(
        async (store) => (await store.deeds(two)).filter(({ status }) => status !== "done").length,
      );
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
    expect([existsSync(path), await flow.withStore((store) => store.jobs({ run: two }))]).toEqual([
      false,
      [],
    ]);
  },
);

test.runIf(isPerson)("a chain of dependencies, and one that was given up", { timeout: 120_000 }, async () => {
  const flow = await makeFlow(4);
  const one = await flow.create("the first");
  const two = await flow.create("the second", `--depends-on ${one}`);
  const three = await flow.create("the third", `--depends-on ${two}`);
  await flow.until(one, ["reviewing"]);
  expect([await flow.state(two), await flow.state(three)]).toEqual(["pending", "pending"]);
  expect((await flow.say(`show ${two}`)).document["waits"]).toMatchObject({
    kind: "queue",
    sentence: `Waits for ${one} (reviewing).`,
  });
  const circle = await flow.say(`task update ${one} --depends-on ${three}`);
  expect(circle.code).not.toBe(0);
  expect(circle.document["message"]).toContain(`${one} -> ${three} -> ${two} -> ${one}`);
  expect((await flow.say(`move ${one} done`)).code).toBe(0);
  await flow.until(two, ["reviewing"]);
  expect(await flow.state(three)).toBe("pending");
  expect((await flow.say(`task cancel ${two} --yes`)).code).toBe(0);
  const mend = `update ${three} --depends-on none`;
  expect((await flow.say(`show ${three}`)).document["waits"]).toMatchObject({
    kind: "person",
    sentence: `Waits for ${two}, which was cancelled: signalbox ${mend}`,
  });
  expect(await flow.state(three)).toBe("pending");
  expect((await flow.say(mend)).code).toBe(0);
  await flow.until(three, ["reviewing"]);
});

test.runIf(isPerson && IS_DEEP)(
  "a branch that is taken when its turn comes: a person is asked, and no command starts a supervisor for it",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const one = await flow.create("the first", "--no-start");
    const branch = String(
      await flow.withStore(async (store) => (await store.load(one))?.run.params["branch"]),
    );
    const elsewhere = join(flow.root, "elsewhere");
    flow.git("worktree", "add", "--quiet", "-b", branch, elsewhere);
    expect((await flow.say(`task start ${one}`)).code).toBe(0);
    const attention = (): Promise<string> =>
      flow.withStore(async (store) => (await store.load(one))?.row.attention ?? "");
    await expect.poll(attention, { timeout: 60_000 }).toContain(`is checked out in ${elsewhere}`);
    await expect.poll(() => processesOf(flow).length, { timeout: 60_000 }).toBe(0);
    const supervisors = (): Promise<unknown> =>
      flow.withStore(({ database }) => database.get("SELECT value FROM meta WHERE name = 'fence'"));
    const before = await supervisors();
    for (const line of ["list", "task list", `why ${one}`]) expect((await flow.say(line)).code).toBe(0);
    expect([await supervisors(), processesOf(flow)]).toEqual([before, []]);
    flow.git("worktree", "remove", elsewhere);
    expect((await flow.say(`resume ${one}`)).code).toBe(0);
    await expect.poll(attention, { timeout: 60_000 }).toBe("");
  },
);

test.runIf(isPerson && IS_DEEP)(
  "a supervisor that died before it looked at the queue: any command has it looked at",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const killed = { SIGNALBOX_SUPERVISOR_FAILPOINT: "registry.after-agent" };
    const one = await flow.create("the first");
    const two = await flow.create("the second");
    expect((await flow.say(`task cancel ${one} --yes`, killed)).code).toBe(0);
    await expect
      .poll(async () => ((await flow.say("list")).code === 0 ? flow.state(two) : ""), {
        timeout: 60_000,
        interval: 200,
      })
      .toBe("reviewing");
  },
);

test.runIf(isPerson)(
  `${COUNT} tasks created and started at once in one repository`,
  { timeout: 600_000 },
  async () => {
    const flow = await makeFlow(COUNT);
    const runs = await Promise.all(Array.from({ length: COUNT }, (_, at) => flow.create(`task ${at}`)));
    expect(new Set(runs).size).toBe(COUNT);
    for (const run of runs) await flow.until(run, ["reviewing"]);
    const isBusy = (): Promise<boolean> => flow.withStore((store) => store.isBusy());
    await expect.poll(isBusy, { timeout: 60_000 }).toBe(false);
    await flow.withStore(async (store) => {
      for (const run of runs) {
        expect((await store.marks(run))?.attention).toBe("");
        expect((await store.deeds(run)).filter(({ status }) => status !== "done")).toEqual([]);
      }
      expect((await store.workspaces()).map(({ run }) => run)).toEqual(runs.toSorted());
    });
    flow.git("fsck", "--strict");
  },
);
