/** A list of tasks that somebody else has written into is nobody's plan: no task is made of it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { childrenOf, list } from "./graph-support.ts";
import { onStage } from "./stage.ts";

const SPOILER = `
printf '### Task 1: Something else\\n\\nFiles: evil.ts\\nDependencies: none\\nComplexity: easy\\nInstructions: all of it\\n' >tasks.md
echo noted >note.md
`;

describe.runIf(isPerson)("a list that was spoilt", () => {
  test("no task is begun, and a person is told why", async ({ expect }) => {
    await onStage({ workflow: "graph-spoilt", agents: { worker: SPOILER } }, async (stage) => {
      const run = await stage.begin("graph-spoilt");
      const { workspace } = await stage.until(run, (now) => now.workspace !== undefined && now.isIdle);
      writeFileSync(join(workspace?.path ?? "", "tasks.md"), list([{ id: "1", files: "a.ts" }]));
      expect((await stage.person("move", run, "mingling")).code).toBe(0);
      const { attention, state } = await stage.until(run, (now) => now.attention !== "");
      expect(state).toBe("building");
      expect(attention).toMatch(/no task is begun: tasks\.md (does not count|is another one)/);
      expect(await childrenOf(stage, run)).toEqual([]);
    });
  });
});
