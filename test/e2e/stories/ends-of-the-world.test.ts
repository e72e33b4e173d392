/** Everything that lives goes at once: the tmux server, the machine. Nobody is to blame, and everybody goes on. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, test } from "vitest";
import { openStore } from "../../../src/adapters/store/open.ts";
import { hasTmux } from "../../support/tmux.ts";
import { kill, processesOf, type Life } from "../lives/life.ts";
import { inLife, inTheatre, perform, type Theatre } from "./theatre.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const TASKS = IS_DEEP ? 10 : 3;

describe.runIf(hasTmux).concurrent("ends of the world", { timeout: 180_000 }, () => {
  test(`the tmux server is killed with ${TASKS} live tasks, twice`, async ({ expect }) => {
    await inTheatre(async (on) => {
      const runs = await on.tasks(TASKS);
      const [reviewed = ""] = runs;
      for (const run of runs) await on.plans(run);
      await on.handsOver(reviewed);
      await on.up(reviewed, "reviewer", 1);
      on.tmux("kill-server");
      for (const run of runs) await on.up(run, "worker", 2);
      await on.up(reviewed, "reviewer", 2);
      process.kill(Number(on.tmux("display-message", "-p", "#{pid}")), "SIGKILL");
      for (const run of runs) await on.up(run, "worker", 3);
      await on.up(reviewed, "reviewer", 3);
      for (const run of runs.slice(1)) {
        expect(lost(await on.story(run))).toEqual([
          "engine: worker ended: infrastructure; lost with machine or terminal, 1 so far; worker is called, attempt 2",
          "engine: worker ended: infrastructure; lost with machine or terminal, 2 so far; worker is called, attempt 3",
        ]);
      }
      expect(await crashesOf(on, runs)).toEqual(runs.map(() => 0));
      // All of it works as before.
      await on.judges(reviewed, "FAIL");
      await on.in(reviewed, "working");
      await on.until(() => on.heard(reviewed, 3).join("\n").includes("did not pass"));
    });
  });

  test("the machine starts anew", async ({ expect }) => {
    await inLife(async (life) => {
      const runs = await perform(life, async (on) => {
        const [worked = "", reviewed = ""] = await on.tasks(2);
        await on.plans(worked);
        await on.plans(reviewed);
        await on.handsOver(reviewed);
        await on.up(reviewed, "reviewer", 1);
        return { worked, reviewed, server: Number(on.tmux("display-message", "-p", "#{pid}")) };
      });
      await restart(life, runs.server);
      await perform(life, async (on) => {
        const { worked, reviewed } = runs;
        await on.up(worked, "worker", 2);
        await on.up(reviewed, "worker", 2);
        await on.up(reviewed, "reviewer", 2);
        expect(await crashesOf(on, [worked, reviewed])).toEqual([0, 0]);
        expect(lost(await on.story(worked))).toEqual([
          "engine: worker ended: infrastructure; lost with machine or terminal, 1 so far; worker is called, attempt 2",
        ]);
        expect(
          lost(await on.story(reviewed))
            .map((line) => line.replace(/, \d so far/, ""))
            .toSorted(),
        ).toEqual([
          "engine: reviewer ended: infrastructure; lost with machine or terminal; reviewer is called, attempt 2",
          "engine: worker ended: infrastructure; lost with machine or terminal; worker is called, attempt 2",
        ]);
      });
    });
  });
});

/** Nothing is left of what lived, and what its pids are called was on an earlier boot. */
async function restart(life: Life, server: number): Promise<void> {
  kill(server);
  while (processesOf(life).length > 0) {
    for (const { pid } of processesOf(life)) kill(pid);
    await pause(10);
  }
  const store = openStore(life.home);
  for (const { dir } of await store.jobs({ status: "live" })) {
    const file = join(dir, "pid");
    const [pid, start] = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, `${pid}\n${start}\nanother-boot\n`);
  }
  await store.close();
}

function lost(story: string): string[] {
  return story.split("\n").filter((line) => line.includes("infrastructure"));
}

async function crashesOf({ home }: Theatre, runs: readonly string[]): Promise<number[]> {
  const store = openStore(home);
  try {
    return await Promise.all(
      runs.map(async (run) => (await store.load(run))?.run.counters["crash_count"] ?? 0),
    );
  } finally {
    await store.close();
  }
}
