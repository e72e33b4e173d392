/** One agent at a time: whatever a workflow starts at once, one begins when another has ended, and nothing waits for ever. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { FOUR, inGraph, order, outcomes } from "./graph-support.ts";
import { onStage, type Stage } from "./stage.ts";

const ONE = ["project", "add", "--agents", "1"] as const;

/** Says when it begins and ends. */
const noted = (script: string): string =>
  `echo "begin $SIGNALBOX_JOB" >>"$LEDGER/turns"\n${script}\necho "end $SIGNALBOX_JOB" >>"$LEDGER/turns"\n`;

const QUERIES = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

const EXPLORERS = {
  scout: noted(`echo '${JSON.stringify({ queries: QUERIES })}' >queries.json`),
  explorer: noted(
    `slot=$(sed -n 's/^slot: //p' "$SIGNALBOX_PROMPT"); mkdir -p found; echo "$slot" >"found/$slot.md"; sleep 0.3`,
  ),
  collector: noted("cat found/*.md >found.md"),
  planner: noted("echo plan >plan.md"),
  builder: noted("echo built >build.md"),
  summarizer: noted("true"),
};

/** Begins and ends take turns. */
function isOneAtATime(lines: readonly string[]): boolean {
  return lines.every((line, at) => line.startsWith(at % 2 === 0 ? "begin " : "end "));
}

const done = async (stage: Stage, run: string): Promise<unknown> =>
  stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);

describe.runIf(isPerson)("one agent at a time", () => {
  test("ten explorers", { timeout: 180_000 }, async ({ expect }) => {
    await onStage({ workflow: "compaction", agents: EXPLORERS }, async (stage) => {
      expect((await stage.person(...ONE)).code).toBe(0);
      const run = await stage.begin("compaction", "--param", "compact_stages=false");
      await done(stage, run);
      const turns = stage.said("turns").split("\n");
      expect(isOneAtATime(turns)).toBe(true);
      expect(turns.filter((line) => line.includes(".explorer"))).toHaveLength(2 * QUERIES.length);
    });
  });

  test("a parent and the runs of its tasks", { timeout: 180_000 }, async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await stage.until(run, ({ state }) => state === "done");
        expect(await outcomes(stage, run)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
        expect(isOneAtATime(order(stage))).toBe(true);
      },
      {
        furnish: async (stage) => {
          expect((await stage.person(...ONE)).code).toBe(0);
        },
      },
    );
  });
});
