/** The two gates of a person: every answer, those that count for nothing, and what files tell of it. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { inSession, LONG, wayOf } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

describe.runIf(isPerson).concurrent("the gates of orchestrated", LONG, () => {
  test("garbage is counted, over kills, until it is blocked; then it is asked anew", async ({ expect }) => {
    await inSession({}, async (on) => {
      const run = await on.run();
      await on.rested(run);
      const decision = (await on.type("show", run)).document["decision"] as {
        asked: string[];
        aside: string[];
      };
      const told = [...decision.asked, ...decision.aside].join("\n");
      expect(told).toContain("\nui: false, needs_research: false\n");
      expect(told).toContain("\nnext of intake: recommended_agent: Docs, recommended_task_id: meta,");
      expect(told).toContain("\ngates of architected: meets_definition_of_done: true, needs_review: false,");
      for (const garbage of ["yes", "changes-requested: x", "changes-requested/who: x", "cancel"]) {
        await on.people(run, `!${garbage}`);
        for (const { pid } of processesOf(on)) kill(pid);
      }
      expect((await on.rested(run)).state).toBe("BLOCKED");
      expect(await on.status(run)).toMatchObject({
        current_state: "BLOCKED",
        blocker: "mandatory_user_decision_missing",
        resume_state: "APPROVE_DESIGN",
      });
      const asked = await on.people(run, "resume");
      expect(asked.state).toBe("APPROVE_DESIGN");
      expect(asked.run.counters["invalid_answers"]).toBe(0);
      expect(await on.status(run)).toMatchObject({
        blocker: null,
        user_decisions: [{ status: "pending" }, {}],
      });
      expect(on.called()).toEqual(["SpecAgent", "Architect"]);
    });
  });

  test.runIf(IS_DEEP)("corrections go to whom they are for, once, with the words", async ({ expect }) => {
    await inSession({}, async (on) => {
      const run = await on.run();
      await on.people(run, "changes-requested/spec: a smaller one, changes-requested/research: look it up");
      await on.people(run, "changes-requested/design: rounder, changes-requested/architecture: in layers");
      expect(wayOf(await on.people(run, "cancel: not today, resume, approved"))).toBe(
        "INTAKE DESIGN APPROVE_DESIGN INTAKE DESIGN APPROVE_DESIGN RESEARCH DESIGN APPROVE_DESIGN DESIGN_UI APPROVE_DESIGN DESIGN APPROVE_DESIGN BLOCKED APPROVE_DESIGN PLAN REVIEW_STRATEGY",
      );
      const told = ["SpecAgent.2", "Researcher.1", "Designer.1", "Architect.4"].map((call) =>
        on.said(`prompt.${call}`).split("\n").at(-1),
      );
      expect(told).toEqual(["> a smaller one", "> look it up", "> rounder", "> in layers"]);
      const history = (await on.file(run, "approve-design-history.jsonl")).trim().split("\n");
      expect(history.map((line) => (JSON.parse(line) as { answer: string }).answer)).toEqual([
        "changes-requested/spec",
        "changes-requested/research",
        "changes-requested/design",
        "changes-requested/architecture",
        "cancel",
        "approved",
      ]);
      expect((await on.status(run))["gate_tracking"]).toMatchObject({
        APPROVE_DESIGN: { correction_status: "completed", last_correction_dispatch: { agent: "Architect" } },
      });
    });
  });

  test.runIf(IS_DEEP)("a correction that was interrupted is not dispatched twice", async ({ expect }) => {
    await inSession({}, async (on) => {
      const run = await on.run();
      await on.rested(run);
      const held = on.hold("SpecAgent");
      const answer = ["answer", run, "changes-requested/spec", "--text", "smaller", "--key", "once"];
      expect((await on.type(...answer)).code).toBe(0);
      await held();
      // Files are written when it is at work already.
      const dispatched = {
        correction_status: "dispatched",
        last_correction_dispatch: { agent: "SpecAgent" },
      };
      await expect
        .poll(async () => (await on.status(run))["gate_tracking"])
        .toMatchObject({ APPROVE_DESIGN: dispatched });
      for (const { pid, kind } of processesOf(on)) if (kind === "supervisor") kill(pid);
      expect((await on.type(...answer)).code).toBe(0);
      on.letGo("SpecAgent");
      expect((await on.rested(run)).state).toBe("APPROVE_DESIGN");
      expect(on.called()).toEqual(["SpecAgent", "Architect", "SpecAgent", "Architect"]);
      expect((await on.file(run, "approve-design-history.jsonl")).trim().split("\n")).toHaveLength(1);
    });
  });

  test.runIf(IS_DEEP)("the strategy has two canonical words", async ({ expect }) => {
    await inSession({ agents: { Planner: "OK large" } }, async (on) => {
      const run = await on.run();
      const now = await on.people(
        run,
        "approved, !Per Batch, !single, !cancel, cancel: later, resume, !a, !b, !c, !d",
      );
      expect(wayOf(now)).toBe(
        "INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY_LARGE BLOCKED REVIEW_STRATEGY_LARGE BLOCKED",
      );
      expect((await on.status(run)).blocker).toBe("mandatory_user_decision_missing");
    });
  });

  test.runIf(IS_DEEP)(
    "a person overrules what the plan says of a task, in words that it knows",
    async ({ expect }) => {
      await inSession({}, async (on) => {
        const run = await on.run();
        const now = await on.people(run, "approved");
        const file = `.agents-work/${String(now.run.params["session"])}/tasks.yaml`;
        const planned = await on.file(run, "tasks.yaml");
        const overrule = async (word: string): Promise<unknown> => {
          await on.edit(run, file, planned.replace("needs_qa: false", `needs_qa: ${word}`));
          await on.type("submit", run, "todo");
          return (await on.type("answer", run, "per-batch")).document["message"];
        };
        expect(await overrule("maybe")).toMatch(/must be a boolean/);
        expect(await overrule("true")).toMatch(/PER_BATCH/);
        expect((await on.rested(run)).state).toBe("ATTEST");
        expect(on.called()).toContain("QA.T-002");
      });
    },
  );

  test.runIf(IS_DEEP)("what was changed since it was shown is not approved", async ({ expect }) => {
    await inSession({}, async (on) => {
      const run = await on.run();
      const now = await on.rested(run);
      const spec = `.agents-work/${String(now.run.params["session"])}/spec.md`;
      await on.edit(run, spec, `${await on.file(run, "spec.md")}\nMore.\n`);
      expect((await on.type("answer", run, "approved")).document["code"]).toBe("stale");
      expect((await on.type("submit", run, "spec")).code).toBe(0);
      expect((await on.people(run, "approved")).state).toBe("REVIEW_STRATEGY");
    });
  });
});
