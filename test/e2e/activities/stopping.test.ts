/** In a stage, `stop` waits for whoever is at work, and begins nothing more; with --now it does not wait. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { processesOf } from "../lives/life.ts";
import { onStage } from "./stage.ts";

const AGENTS = {
  planner: `say planner x; await go; echo "plan of $SIGNALBOX_JOB" >plan.md`,
  critic: `say critic x; echo '{"status":"approved","issues":[]}' >review.json`,
  mender: "true",
};
const FILES = { "test.sh": "true" };

describe.runIf(isPerson).concurrent("stopping in a stage", () => {
  test("whoever is at work comes to an end, and nobody follows until it is resumed", async ({ expect }) => {
    await onStage({ workflow: "stages", agents: AGENTS, files: FILES }, async (stage) => {
      const run = await stage.begin("stages");
      await stage.until(run, () => stage.said("planner") === "x");
      const { code, document } = await stage.person("stop", run);
      expect({ code, document }).toMatchObject({
        code: 0,
        document: { changed: true, waitsFor: ["planner"] },
      });
      const { document: shown } = await stage.person("show", run);
      expect(shown).toMatchObject({
        halted: true,
        waits: {
          kind: "stopped",
          sentence: `Stopped by a person when planner has ended. Resume it with: signalbox resume ${run}`,
        },
      });
      stage.say("go");
      await stage.until(run, ({ state }) => state === "judge");
      await stage.until(run, () => processesOf(stage).length === 0);
      expect(stage.said("critic")).toBe("");
      expect((await stage.person("stop", run)).document).toMatchObject({ changed: false, waitsFor: [] });
      expect((await stage.person("resume", run)).code).toBe(0);
      await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      expect([stage.said("planner"), stage.said("critic")]).toEqual(["x", "x"]);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("with --now, also afterwards, nobody is waited for", async ({ expect }) => {
    await onStage({ workflow: "stages", agents: AGENTS, files: FILES }, async (stage) => {
      const run = await stage.begin("stages");
      await stage.until(run, () => stage.said("planner") === "x");
      await stage.person("stop", run);
      const { document } = await stage.person("stop", run, "--now");
      expect(document).toMatchObject({ changed: true, waitsFor: [] });
      await stage.until(run, () => processesOf(stage).length === 0);
      expect((await stage.person("show", run)).document).toMatchObject({ state: "draft", halted: true });
      expect((await stage.person("cancel", run)).code).toBe(0);
    });
  });
});
