/** One agent at a time, in terminals: a worker that sits there while others work takes nobody's turn, and goes on when it is its own. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { hasTmux } from "../../support/tmux.ts";
import { inTheatre, type Theatre } from "./theatre.ts";

const heard = (on: Theatre, run: string, word: RegExp): boolean =>
  on.heard(run, 1).some((line) => word.test(line));

describe.runIf(isPerson && hasTmux)("one agent at a time", () => {
  test("two tasks, their reviews and requests for changes", { timeout: 180_000 }, async ({ expect }) => {
    await inTheatre(async (on) => {
      await on.person("project", "add", "--agents", "1");
      const one = await on.task();
      const { run } = await on.person("task", "create", "two", "Another", ...HARNESSES);
      const two = String(run);
      const stateOf = async (id: string): Promise<unknown> => (await on.person("show", id))["state"];
      expect(await stateOf(two)).toBe("pending");

      // The reviewer sits there until it is stopped, and the worker is told what it found.
      await on.plans(one);
      await on.handsOver(one);
      await on.up(one, "reviewer", 1);
      await on.judges(one, "FAIL");
      await on.until(() => heard(on, one, /review/i));
      await on.in(one, "working");
      await on.handsOver(one);
      await on.up(one, "reviewer", 2);
      expect(await stateOf(two)).toBe("pending");
      await on.judges(one, "PASS");

      // The first worker lives and is not at work: the second task begins.
      await on.up(two, "worker", 1);
      await on.person("task", "request-changes", one, "Greet kindly");
      await on.until(async (store) => (await store.deeds(one)).some(({ isQueued }) => isQueued));
      const shown = await on.person("show", one);
      expect((shown["waits"] as { sentence: string }).sentence).toContain(
        "worker cannot begin: 1 of 1 agents at work (raise with: signalbox project update repo --agents 2)",
      );
      expect(heard(on, one, /Greet kindly/)).toBe(false);

      // The second worker hands over: the first one, which has waited longer, comes before the second reviewer.
      await on.plans(two);
      await on.handsOver(two);
      await on.until(() => heard(on, one, /Greet kindly/));
      expect((await on.person("show", two))["waits"]).toMatchObject({
        sentence: expect.stringContaining("reviewer cannot begin: 1 of 1 agents") as string,
      });
      await on.handsOver(one);
      await on.up(two, "reviewer", 1);
      await on.judges(two, "PASS");
      await on.up(one, "reviewer", 3);
      await on.judges(one, "PASS");
      await on.in(one, "reviewing");
      await on.in(two, "reviewing");
    });
  });
});

const HARNESSES = ["--harness", "worker", "--review-harness", "reviewer"];
