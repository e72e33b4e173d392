/** What agents leave behind that is not in the contract, and what they hand in: it counts for nothing, and whoever comes next is told why. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { agentFolder } from "../activities/stage.ts";
import { inSession, LONG, wayOf, type Play } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

/** What this call was told of the one before it, without paths. */
function toldOf(on: Play, call: string): string[] {
  const [, told = ""] = on.said(`prompt.${call}`).split("What is wrong now:\n\n");
  return told
    .split("\n")
    .map((line) => line.replace(/ \.agents-work\S+\/([A-Za-z.-]+[a-z])(:\d+:\d+)?:/, " $1"));
}

const BEHIND = "SINGLE_FINAL FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE";

describe.runIf(isPerson).concurrent("the contract of orchestrated", LONG, () => {
  test("three answers that are none: blocked; each is told what was wrong with the one before", async ({
    expect,
  }) => {
    const answers = "OK prose -acceptance.json, NEEDS_DECISION, OK extra";
    await inSession({ agents: { SpecAgent: answers } }, async (on) => {
      const run = await on.run();
      expect(wayOf(await on.rested(run))).toBe("INTAKE BLOCKED");
      expect(await on.status(run)).toMatchObject({ blocker: "subagent_failure", resume_state: "INTAKE" });
      expect(toldOf(on, "SpecAgent.2")).toEqual([
        '- intake: SpecAgent.output.json a JSON value is expected, not "H"',
        "- acceptance: acceptance.json the file is missing",
      ]);
      expect(toldOf(on, "SpecAgent.3")[0]).toBe(
        '- intake: SpecAgent.output.json "status" is "NEEDS_DECISION"; allowed are OK, BLOCKED',
      );
      expect(wayOf(await on.people(run, "resume: once more"))).toBe(
        "INTAKE BLOCKED INTAKE DESIGN APPROVE_DESIGN",
      );
      // Also whom a person starts again.
      expect(toldOf(on, "SpecAgent.4")).toEqual([
        '- intake: SpecAgent.output.json the key "surprise" is unknown',
        "",
        "## What a person said with this",
        "",
        "> once more",
      ]);
    });
  });

  test.runIf(IS_DEEP)("the same in a task, for whoever reads an answer in its words", async ({ expect }) => {
    const agents = { "Coder.T-001": "die, die, silent", "Reviewer.T-001": "OK major, garbage, OK major" };
    await inSession({ agents }, async (on) => {
      const run = await on.run();
      const now = await on.people(run, "approved, per-batch, resume, resume");
      expect(now.state).toBe("ATTEST");
      expect(wayOf(await on.now(await on.child(run, "T-001"))).replaceAll(/\w+_DUE /g, "")).toBe(
        "CODE BLOCKED CODE REVIEW BLOCKED REVIEW QA SECURITY JOIN completed",
      );
      expect(toldOf(on, "Coder.T-001.4")[0]).toContain("coder: Coder.output.json the file is missing");
      expect(toldOf(on, "Reviewer.T-001.4")[0]).toContain("issues that block are listed: 1 high");
    });
  });

  test.runIf(IS_DEEP)("every role errs once, and does better", async ({ expect }) => {
    const agents = {
      SpecAgent: "OK -acceptance.json, OK ui research",
      Researcher: "FAIL, OK",
      Architect: "garbage, OK",
      Designer: "OK -design-specs/design-spec.md, OK",
      Planner: "OK extra, OK",
      Coder: "NEEDS_INFO, OK",
      Reviewer: "OK major, OK",
      QA: "OK fail, OK",
      Security: "BLOCKED, empty, OK",
      Integrator: "die, OK",
      Docs: "silent, OK prose, OK",
    };
    await inSession({ agents }, async (on) => {
      const run = await on.run();
      const now = await on.people(run, "approved, single-final, attested");
      expect(wayOf(now)).toBe(
        `INTAKE RESEARCH DESIGN DESIGN_UI APPROVE_DESIGN PLAN REVIEW_STRATEGY ${BEHIND}`,
      );
      const told = (call: string): string => toldOf(on, call)[0] ?? "";
      expect(told("Researcher.2")).toContain('"status" is "FAIL"; allowed are OK, BLOCKED, NEEDS_INFO');
      expect(told("Architect.2")).toContain("a JSON value is expected");
      expect(told("Designer.2")).toContain("design: design-spec.md the file is missing");
      expect(told("Planner.2")).toContain('the key "surprise" is unknown');
      expect(told("Coder.T-001.2")).toContain('"status" is "NEEDS_INFO"; allowed are OK, BLOCKED');
      expect(told("Reviewer.meta.2")).toContain('"OK" passes it, but issues that block are listed: 1 high');
      expect(told("QA.meta.2")).toContain('"OK" passes it, but 1 test failed');
      expect(told("Security.meta.2")).toContain("the verdict is negative but no issue is listed");
      expect(told("Security.meta.3")).toContain("the JSON ends too early");
      expect(told("Integrator.2")).toContain("the file is missing");
      expect(told("Docs.3")).toContain("a JSON value is expected");
    });
  });

  test.runIf(IS_DEEP)(
    "what is handed in is refused with every fault, and mended in the same attempt",
    async ({ expect }) => {
      await inSession({}, async (on) => {
        const held = on.hold("SpecAgent");
        const run = await on.run();
        await held();
        const output = `.agents-work/${String((await on.now(run)).run.params["session"])}/contract/SpecAgent.output.json`;
        const folder = join(await agentFolder(on, run, "SpecAgent.1"), "work");
        writeFileSync(join(folder, output), '{"status":"FAIL","surprise":1}');
        const { code, document } = await on.agent(run, "SpecAgent.1", "submit", "intake");
        expect(code).toBe(5);
        for (const fault of [
          '"summary" is missing',
          '"surprise" is unknown',
          '"status" is "FAIL"; allowed are OK',
        ])
          expect(document["message"]).toContain(fault);
        on.letGo("SpecAgent");
        const now = await on.rested(run);
        expect(now.state).toBe("APPROVE_DESIGN");
        expect(on.called()).toEqual(["SpecAgent", "Architect"]);
      });
    },
  );

  test.runIf(IS_DEEP)(
    "what an agent asks is a person's to answer, in the session and in a task",
    async ({ expect }) => {
      await inSession({ agents: { Architect: "BLOCKED", "Coder.T-001": "BLOCKED" } }, async (on) => {
        const run = await on.run();
        const now = await on.people(run, "!answer, answer: in one file, approved, per-batch, answer: yes");
        expect(now.state).toBe("ATTEST");
        expect(on.said("prompt.Architect.2")).toMatch(/> in one file$/);
        expect(on.said("prompt.Coder.T-001.2")).toMatch(/> yes$/);
        expect((await on.status(run)).user_decisions[0]).toMatchObject({
          decision_id: "UD-1",
          state_context: "DESIGN",
          text: "in one file",
        });
      });
    },
  );

  test.runIf(IS_DEEP)(
    "a file that must be read is gone: found before anybody is started",
    async ({ expect }) => {
      await inSession({}, async (on) => {
        const run = await on.run();
        const asked = await on.people(run, "approved, single-final");
        const spec = `.agents-work/${String(asked.run.params["session"])}/spec.md`;
        const text = await on.file(run, "spec.md");
        rmSync(join(asked.workspace?.path ?? "", spec));
        const now = await on.people(run, "attested");
        expect(now.attention).toContain(`Docs must read ${spec} first, which is not there`);
        expect(on.called().at(-1)).toBe("Integrator");
        await on.edit(run, spec, text);
        expect((await on.type("resume", run)).code).toBe(0);
        expect((await on.rested(run)).state).toBe("DONE");
      });
    },
  );
});
