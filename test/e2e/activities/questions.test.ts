/** A person's gate takes a person, one of the options, and what was shown. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow, onStage, type Stage } from "./stage.ts";

const AGENTS = {
  SpecAgent: `
mkdir -p ".agents-work/$SIGNALBOX_RUN"
printf '## Goals\\nFewer clicks (%s).\\n\\n## Acceptance Criteria\\n- one click\\n\\n## Definition of Done\\nIt is merged.\\n' "$SIGNALBOX_JOB" >".agents-work/$SIGNALBOX_RUN/spec.md"
`,
  Architect: `
printf '## Overview\\nOne button (%s).\\n\\n## Modules\\n- button\\n' "$SIGNALBOX_JOB" >".agents-work/$SIGNALBOX_RUN/architecture.md"
`,
};

async function asked(stage: Stage): Promise<string> {
  const run = await stage.begin("design-approval");
  await stage.until(run, ({ state, isIdle }) => state === "APPROVE_DESIGN" && isIdle);
  return run;
}

type Item = { kind: string; question: { id: string; repeats: number }; actions: { command: string }[] };

describe.runIf(isPerson).concurrent("questions", () => {
  test("only options count, answers that are none are counted over restarts, and too many of them block", async ({
    expect,
  }) => {
    await onStage({ agents: AGENTS }, async (stage) => {
      const run = await asked(stage);
      const inbox = async (): Promise<Item | undefined> =>
        ((await stage.person("inbox")).document["items"] as Item[])[0];
      expect(await inbox()).toMatchObject({
        kind: "question",
        question: { id: "UD-APPROVE-DESIGN", repeats: 0 },
      });
      expect((await inbox())?.actions[0]?.command).toMatch(
        new RegExp(`^signalbox accept ${run} --shown [0-9a-f]{8}$`),
      );

      // No agent answers, however it is put.
      const byAgent = await stage.agent(run, "Architect.1", "answer", "UD-APPROVE-DESIGN", "approved");
      expect(byAgent).toMatchObject({ code: 4, document: { code: "not-a-person" } });

      // Every command is a process of its own: what they count is in the journal.
      for (const [times, said] of ["approved? no", "Approved", "yes, approved"].entries()) {
        const again = await stage.person("answer", "UD-APPROVE-DESIGN", said);
        expect(again).toMatchObject({ code: 3, document: { code: "asked-again" } });
        expect((await inbox())?.question.repeats).toBe(times + 1);
      }
      const blocked = await stage.person("answer", "UD-APPROVE-DESIGN", "ok");
      expect(blocked).toMatchObject({ code: 3, document: { code: "asked-too-often", to: "BLOCKED" } });
      expect((await inbox())?.actions.map(({ command }) => command).join()).toContain("signalbox retry");
      expect((await stage.person("answer", run, "resume")).document["to"]).toBe("APPROVE_DESIGN");
      const last = await stage.person("answer", run, "approved", "--key", "yes");
      expect(last).toMatchObject({ code: 0, document: { to: "PLAN" } });
      // The same answer twice is one answer.
      expect((await stage.person("answer", run, "approved", "--key", "yes")).document["seq"]).toBe(
        last.document["seq"],
      );
      expect(await stage.trace(run)).toMatchInlineSnapshot(`
      [
        "human (signed): started the run; start -> INTAKE; SpecAgent is called, attempt 1",
        "engine: SpecAgent ended: exited (exit code 0); spec: read; INTAKE -> DESIGN; Architect is called, attempt 1",
        "engine: Architect ended: exited (exit code 0); architecture: read; DESIGN -> APPROVE_DESIGN; UD-APPROVE-DESIGN is asked",
        "human (signed): answered approved? no; invalid_answers is 1; UD-APPROVE-DESIGN is asked again: "approved? no" is not one of approved, changes-requested, cancel",
        "human (signed): answered Approved; invalid_answers is 2; UD-APPROVE-DESIGN is asked again: "Approved" is not one of approved, changes-requested, cancel",
        "human (signed): answered yes, approved; invalid_answers is 3; UD-APPROVE-DESIGN is asked again: "yes, approved" is not one of approved, changes-requested, cancel",
        "human (signed): answered ok; invalid_answers is 4; UD-APPROVE-DESIGN is asked again: "ok" is not one of approved, changes-requested, cancel; UD-APPROVE-DESIGN is no longer asked; APPROVE_DESIGN -> BLOCKED; UD-1 is asked",
        "human (signed): answered resume; BLOCKED -> APPROVE_DESIGN; UD-APPROVE-DESIGN is asked",
        "human (signed): answered approved; APPROVE_DESIGN -> PLAN",
      ]
    `);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("an answer is about what was shown, and corrections go to their author", async ({ expect }) => {
    await onStage({ agents: AGENTS }, async (stage) => {
      const run = await asked(stage);
      const { workspace } = await stage.now(run);
      const file = join(workspace?.path ?? "", ".agents-work", run, "spec.md");
      appendFileSync(file, "\nAnd delete everything.\n");
      const stale = await stage.person("answer", run, "approved");
      expect(stale).toMatchObject({ code: 5, document: { code: "stale" } });
      expect(stale.document["message"]).toContain("has changed since it was shown");
      // What somebody else wrote is not the author's word: it cannot be approved at all.
      const foreign = await stage.person("answer", run, "approved");
      expect(foreign).toMatchObject({ code: 5 });
      expect(foreign.document["message"]).toContain("counts only from SpecAgent");
      expect((await stage.now(run)).state).toBe("APPROVE_DESIGN");

      const back = await stage.person("answer", run, "changes-requested/spec", "--text", "delete nothing");
      expect(back).toMatchObject({ code: 0, document: { to: "INTAKE" } });
      await stage.until(run, ({ state, isIdle }) => state === "APPROVE_DESIGN" && isIdle);
      // What there was is kept, as somebody left it; the new attempt began without it.
      const archive = filesBelow(join(stage.home.root, "runs", run, "archive"));
      expect(Object.keys(archive).map((name) => name.replace(run, "RUN"))).toEqual([
        "attempt-4/.agents-work/RUN/architecture.md",
        "attempt-4/.agents-work/RUN/spec.md",
      ]);
      expect(Object.values(archive).join()).toContain("delete everything");
      expect((await stage.person("answer", run, "approved")).document["to"]).toBe("PLAN");
      expect(await stage.trace(run)).toMatchInlineSnapshot(`
      [
        "human (signed): started the run; start -> INTAKE; SpecAgent is called, attempt 1",
        "engine: SpecAgent ended: exited (exit code 0); spec: read; INTAKE -> DESIGN; Architect is called, attempt 1",
        "engine: Architect ended: exited (exit code 0); architecture: read; DESIGN -> APPROVE_DESIGN; UD-APPROVE-DESIGN is asked",
        "engine: looked at the files; spec: read",
        "human (signed): answered changes-requested/spec: delete nothing; APPROVE_DESIGN -> INTAKE; SpecAgent is called, attempt 2",
        "engine: SpecAgent ended: exited (exit code 0); spec: read; INTAKE -> DESIGN; Architect is called, attempt 2",
        "engine: Architect ended: exited (exit code 0); architecture: read; DESIGN -> APPROVE_DESIGN; UD-APPROVE-DESIGN is asked",
        "human (signed): answered approved; APPROVE_DESIGN -> PLAN",
      ]
    `);
    });
  });
});
