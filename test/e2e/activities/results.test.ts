/** A result counts for the task whose agent wrote it, while it was at work; nobody else's does. */
import { describe, expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { childrenOf, inGraph, outcomes } from "./graph-support.ts";
import { onStage } from "./stage.ts";

const ONE = [{ id: "1", files: "a.ts" }];

const RESULT = `printf '{"taskId":"%s","status":"completed","summary":"%s","filesModified":[]}'`;

/** The first attempt does the one thing, every later one the other. */
const first = (one: string, other: string): string => `
mkdir -p .agents/tmp/tasks
say attempts x
if [ "$(grep -c x "$LEDGER/attempts")" = 1 ]; then ${one}; else ${other}; fi
`;

const OWN = '".agents/tmp/tasks/$SIGNALBOX_RUN.json"';

describe.runIf(isPerson).concurrent("a result", () => {
  test("of another task is refused with its place, and its agent has to say it again", async () => {
    await inGraph(
      ONE,
      async (stage, run) => {
        await stage.until(run, ({ state }) => state === "done");
        const child = (await childrenOf(stage, run))[0]?.run ?? "";
        expect(stage.said("refused")).toContain(
          `"taskId" is "2"; it must be "1" (.agents/tmp/tasks/${child}.json:1:11)`,
        );
        expect(stage.said("attempts")).toBe("x\nx");
        expect(await stage.trace(child)).toContainEqual(
          expect.stringContaining('result: invalid, "taskId" is "2"; it must be "1"'),
        );
      },
      {
        worker: first(
          `${RESULT} 2 no >${OWN}; say refused "$(signalbox submit result 2>&1)"`,
          `${RESULT} 1 yes >${OWN}`,
        ),
      },
    );
  });

  test("of an attempt that was killed is not that of the next one, which leaves none", async () => {
    await inGraph(
      ONE,
      async (stage, run) => {
        await stage.until(run, ({ state }) => state === "planning");
        expect(await outcomes(stage, run)).toEqual(["1 failed"]);
      },
      { worker: first(`${RESULT} 1 yes >${OWN}; kill -9 $$`, "true") },
    );
  });

  test("that the repository brings along is nobody's", async () => {
    const files = { "NOTES.md": "## Handoff\n\nDONE: long ago\n", "test.sh": "true" };
    await onStage({ workflow: "checks", agents: { coder: "true", fixer: "true" }, files }, async (stage) => {
      const run = await stage.begin("checks");
      const { state } = await stage.until(run, (now) => now.state === "stuck" || now.state === "accepting");
      expect(state).toBe("stuck");
    });
  });
});
