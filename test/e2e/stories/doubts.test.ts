/** What nobody can tell is not repeated; who has nothing to do is not hurried. */

import { setTimeout as pause } from "node:timers/promises";
import { describe, test } from "vitest";
import { openStore } from "../../../src/adapters/store/open.ts";
import { hasTmux } from "../../support/tmux.ts";
import { inLife, inTheatre, perform } from "./theatre.ts";

/** Longer than a busy machine takes for the first command of the worker, which is silent until then. */
const STALL_MS = 5000;

describe.runIf(hasTmux).concurrent("in doubt", { timeout: 120_000 }, () => {
  test("a message over which somebody died is not sent again, and a person is told", async ({ expect }) => {
    await inLife(async (life) => {
      const run = await perform(life, async (on) => {
        const begun = await on.task();
        await on.plans(begun);
        await on.handsOver(begun);
        await on.up(begun, "reviewer", 1);
        return begun;
      });
      await perform(life, async (on) => {
        // The verdict is in, and whoever was about to tell the worker has died over it.
        const store = openStore(life.home);
        const seq = (await store.load(run))?.run.seq ?? 0;
        const row = { run, role: "worker", slot: "", attempt: 1, at: Date.now(), acknowledgedAt: 0 };
        for (let next = seq + 1; next < seq + 9; next += 1)
          for (const i of [0, 1, 2, 3])
            await store.commit([
              { type: "put-message", message: { ...row, key: `${run}:${next}:${i}`, status: "sending" } },
            ]);
        await store.close();
        await on.judges(run, "FAIL");
        await on.in(run, "working");
        expect(on.heard(run, 1)).toEqual([]);
        const note = await on.until(
          async (at) => (await at.deeds(run)).find(({ deed }) => deed.type === "tell-agent")?.note,
        );
        expect(note).toBe("it may have reached worker before; it is not sent again");
        const { stdout } = await on.types("show", run);
        expect(stdout).toMatch(
          new RegExp(
            `a message to worker may not have arrived; look: signalbox attach ${run}, then: signalbox resume ${run}`,
          ),
        );
        await on.person("resume", run);
        expect(await on.until(async (at) => (await at.marks(run))?.attention === "")).toBe(true);
        expect(on.heard(run, 1)).toEqual([]);
      });
    });
  });

  test("silence ends a worker only where the run waits for it, and from then on", async ({ expect }) => {
    await inTheatre(
      async (on) => {
        const run = await on.task();
        await on.says(run, "worker", "task", "update", "--status", "clarification");
        await pause(STALL_MS * 1.3);
        expect(await on.until(async (store) => (await store.jobs({ run }))[0]?.status)).toBe("live");
        await on.person("move", run, "planning");
        await on.in(run, "planning");
        await on.until(async (store) => (await store.jobs({ run }))[0]?.status === "over");
        const [back = 0, ended = 0] = await on.until(async (store) =>
          Promise.all(
            ["move-asked", "agent-ended"].map(async (type) =>
              Date.parse((await store.events(run)).findLast(({ event }) => event.type === type)?.at ?? ""),
            ),
          ),
        );
        expect(ended - back).toBeGreaterThan(STALL_MS * 0.8);
        expect((await on.story(run)).split("\n").at(-1)).toBe(
          "engine: worker ended: stalled (exit code 0); crash_count is 1; worker counts as crashed",
        );
      },
      `stall_minutes: ${STALL_MS / 60_000}`,
    );
  });
});
