/** Agents whose programs ask for permission: a run waits for a person, and for nobody else, until they answer. */

import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { onStage, type Now, type Scene, type Stage } from "./stage.ts";

const AGENT = join(import.meta.dirname, "../../bridge/agent.ts");
const WORK = `printf 'APPROACH: x\\nTOUCHING: x\\n' | signalbox submit plan -
signalbox update --status working
echo one >x.txt
echo "DONE: x" | signalbox submit handoff - && signalbox update --status agent-review`;

/** The worker may not run its script before a person allows it; the reviewer only calls \`signalbox\`. */
const SCENE: Scene = {
  driver: "acp",
  agents: {
    worker: `cat >"$LEDGER/work.sh" <<'END'\n${WORK}\nEND\nexec "${process.execPath}" "${AGENT}" resume "do=say I begin; run sh $LEDGER/work.sh"`,
    reviewer: `exec "${process.execPath}" "${AGENT}" "do=run sh x.sh; run echo 'Verdict: PASS' | signalbox submit review -"`,
  },
};
const PARAMS = ["--param", "harness=scripted", "--param", "review_harness=scripted"];

const isAsked = ({ run }: Now): boolean => (run.permissions ?? []).length > 0;

async function asked(stage: Stage): Promise<string> {
  const run = await stage.begin("task", ...PARAMS);
  await stage.until(run, isAsked);
  return run;
}

describe.runIf(isPerson)("an agent that asks for permission", () => {
  test("waits through the death of the supervisor; allowed, it does its work, and is reviewed", async ({
    expect,
  }) => {
    await onStage(SCENE, async (stage) => {
      const run = await asked(stage);
      const killed = processesOf(stage).filter(({ kind, pid }) => kind === "supervisor" && kill(pid));
      expect(killed).toHaveLength(1);
      const { document: inbox } = await stage.person("inbox");
      expect(JSON.stringify(inbox)).toContain(`signalbox answer ${run}/p-`);
      expect((await stage.person("answer", run, "allow")).code).toBe(0);
      const now = await stage.until(run, ({ state }) => state === "reviewing");
      expect(now.run.counters["crash_count"] ?? 0).toBe(0);
      const { document: logs } = await stage.person("logs", run, "--role", "worker");
      expect(String(logs["text"])).toContain("a person is asked for permission: execute: sh ");
      const { document: judged } = await stage.person("logs", run, "--role", "reviewer");
      expect(String(judged["text"])).toContain("this role may only read");
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("is asked for no more when its run is stopped, and asks again when the run goes on", async ({
    expect,
  }) => {
    await onStage(SCENE, async (stage) => {
      const run = await asked(stage);
      expect((await stage.person("stop", run, "--now")).code).toBe(0);
      const held = await stage.until(run, (now) => !isAsked(now) && now.isIdle);
      expect(held.events.at(-1)?.event).toMatchObject({ type: "permission-closed", answer: "" });
      expect((await stage.person("resume", run)).code).toBe(0);
      await stage.until(run, isAsked);
      expect((await stage.person("answer", run, "deny")).code).toBe(0);
      await stage.person("cancel", run);
      await stage.until(run, ({ state, isIdle }) => state === "cancelled" && isIdle);
    });
  });
});
