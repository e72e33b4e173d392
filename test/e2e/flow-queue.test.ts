/** Tasks one after the other: a pool that is too small, tasks that depend on others, and what is told meanwhile. */
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { isPerson } from "../support/person.ts";
import { clearFlows, makeFlow } from "./flow-support.ts";
import { processesOf } from "./lives/life.ts";

afterEach(clearFlows);

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const COUNT = IS_DEEP ? 32 : 4;

test.runIf(isPerson)(
  "a pool of one: three tasks, one after the other, nobody types anything in between",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const one = await flow.create("the first");
    const two = await flow.create("the second");
    const three = await flow.create("the third");
    await flow.until(one, ["reviewing"]);
    expect([flow.state(two), flow.state(three)]).toEqual(["pending", "pending"]);
    const shown = await flow.say(`show ${two}`);
    expect(shown.document["waitsFor"]).toBe(`a free workspace: 1 of 1 in use by ${one}`);
    expect((await flow.say(`move ${one} done`)).code).toBe(0);
    await flow.until(two, ["reviewing"]);
    expect(flow.state(three)).toBe("pending");
    expect((await flow.say(`task cancel ${two} --yes`)).code).toBe(0);
    await flow.until(three, ["reviewing"]);
    flow.withStore((store) => {
      expect(store.queued()).toEqual([]);
      expect(store.pool(flow.repo)).toHaveLength(1);
      expect(store.poolOf(three)?.name).toBe("repo--1");
      const by = store.events(two).find(({ event }) => event.type === "moved" && event.to === "planning");
      expect(by?.by).toEqual({ type: "engine" });
    });
    const { code } = await flow.say(`verify ${two}`);
    expect(code).toBe(0);
  },
);

test.runIf(isPerson)("a chain of dependencies, and one that was given up", { timeout: 120_000 }, async () => {
  const flow = await makeFlow(4);
  const one = await flow.create("the first");
  const two = await flow.create("the second", `--depends-on ${one}`);
  const three = await flow.create("the third", `--depends-on ${two}`);
  await flow.until(one, ["reviewing"]);
  expect([flow.state(two), flow.state(three)]).toEqual(["pending", "pending"]);
  expect((await flow.say(`show ${two}`)).document["waitsFor"]).toBe(`${one} (reviewing)`);
  const circle = await flow.say(`task update ${one} --depends-on ${three}`);
  expect(circle.code).not.toBe(0);
  expect(circle.document["message"]).toContain(`${one} -> ${three} -> ${two} -> ${one}`);
  expect((await flow.say(`move ${one} done`)).code).toBe(0);
  await flow.until(two, ["reviewing"]);
  expect(flow.state(three)).toBe("pending");
  expect((await flow.say(`task cancel ${two} --yes`)).code).toBe(0);
  const mend = `task update ${three} --depends-on none`;
  expect((await flow.say(`show ${three}`)).document["waitsFor"]).toBe(
    `${two}, which was cancelled: signalbox ${mend}`,
  );
  expect(flow.state(three)).toBe("pending");
  expect((await flow.say(mend)).code).toBe(0);
  await flow.until(three, ["reviewing"]);
});

test.runIf(isPerson && IS_DEEP)(
  "a branch that is taken when its turn comes: a person is asked, and no command starts a supervisor for it",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const one = await flow.create("the first", "--no-start");
    const branch = String(flow.withStore((store) => store.load(one)?.run.params["branch"]));
    const elsewhere = join(flow.root, "elsewhere");
    flow.git("worktree", "add", "--quiet", "-b", branch, elsewhere);
    expect((await flow.say(`task start ${one}`)).code).toBe(0);
    const attention = (): string => flow.withStore((store) => store.load(one)?.row.attention ?? "");
    await expect.poll(attention, { timeout: 60_000 }).toContain(`is checked out in ${elsewhere}`);
    await expect.poll(() => processesOf(flow).length, { timeout: 60_000 }).toBe(0);
    const supervisors = (): unknown =>
      flow.withStore(({ database }) => database.get("SELECT value FROM meta WHERE name = 'fence'"));
    const before = supervisors();
    for (const line of ["list", "task list", `why ${one}`]) expect((await flow.say(line)).code).toBe(0);
    expect([supervisors(), processesOf(flow)]).toEqual([before, []]);
    flow.git("worktree", "remove", elsewhere);
    expect((await flow.say(`resume ${one}`)).code).toBe(0);
    await expect.poll(attention, { timeout: 60_000 }).toBe("");
  },
);

test.runIf(isPerson && IS_DEEP)("a larger pool starts those who wait", { timeout: 120_000 }, async () => {
  const flow = await makeFlow(1);
  const one = await flow.create("the first");
  const two = await flow.create("the second");
  await flow.until(one, ["reviewing"]);
  expect(flow.state(two)).toBe("pending");
  expect((await flow.say("project update --pool-size 2")).code).toBe(0);
  await flow.until(two, ["reviewing"]);
});

test.runIf(isPerson && IS_DEEP)(
  "a supervisor that died before it looked at the queue: any command has it looked at",
  { timeout: 120_000 },
  async () => {
    const flow = await makeFlow(1);
    const one = await flow.create("the first");
    const two = await flow.create("the second");
    await flow.until(one, ["reviewing"]);
    const killed = { SIGNALBOX_SUPERVISOR_FAILPOINT: "registry.after-leave-pool" };
    expect((await flow.say(`move ${one} done`, killed)).code).toBe(0);
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
    const isBusy = (): boolean => flow.withStore((store) => store.isBusy(Date.now()));
    await expect.poll(isBusy, { timeout: 60_000 }).toBe(false);
    expect(flow.git("worktree", "list").split("\n")).toHaveLength(COUNT + 1);
    flow.withStore((store) => {
      for (const run of runs) {
        expect(store.attentionOf(run)).toBe("");
        expect(store.deeds(run).filter(({ status }) => status !== "done")).toEqual([]);
      }
      expect(new Set(store.pool(flow.repo).map(({ run }) => run))).toEqual(new Set(runs));
    });
    flow.git("fsck", "--strict");
  },
);
