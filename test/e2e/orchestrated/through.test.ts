/** Whole sessions, from the goal to DONE, straight: each strategy, lean, and a lean one that becomes a full one. */

import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow } from "../activities/stage.ts";
import { inSession, IS_DEEP, LONG, wayOf } from "./play.ts";

const BEFORE = "INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY";
const AFTER = "FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE";
const LAST_PASS = "Reviewer.meta QA.meta Security.meta Integrator Docs";

describe.runIf(isPerson).concurrent("orchestrated", LONG, () => {
  test("per batch: each task is judged, then all of it", async ({ expect }) => {
    const agents = { "Coder.T-002": "OK same" };
    await inSession({ agents, files: { "AGENTS.md": "Be kind.\n" } }, async (on) => {
      const run = await on.run();
      await on.people(run, "approved, per-batch");
      // The plan shows how far its tasks are, and is what it was.
      const { document } = await on.type("next", run);
      expect(document["artifacts"]).toContainEqual(
        expect.objectContaining({ artifact: "todo", standing: "valid" }),
      );
      expect(document["artifacts"]).toContainEqual(
        expect.objectContaining({ artifact: "plan-shape", standing: "valid" }),
      );
      const now = await on.people(run, "attested");
      expect(wayOf(now)).toBe(`${BEFORE} PER_BATCH ${AFTER}`);
      expect(on.called().join(" ")).toBe(
        `SpecAgent Architect Planner Coder.T-001 Reviewer.T-001 QA.T-001 Security.T-001 Coder.T-002 Reviewer.T-002 ${LAST_PASS}`,
      );
      expect(await on.status(run)).toMatchObject({
        current_state: "DONE",
        mode: "full",
        blocker: null,
        current_task: null,
        last_ci_result: "green",
        runtime_flags: { copilot_instructions_exists: false, agents_instructions_exists: true },
        user_decisions: [
          { decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "approved" },
          { decision_id: "UD-REVIEW-STRATEGY", status: "answered", answer: "per-batch" },
          { status: "answered", answer: "attested" },
        ],
      });
      for (const name of ["SpecAgent", "Docs", "Coder.T-001", "Security.meta"]) {
        expect((await on.status(run))["assumptions"]).toContain(`${name} assumes`);
        expect((await on.status(run))["known_issues"]).toContain(`${name} knows`);
        expect(await on.file(run, "report.md")).toMatch(
          new RegExp(`- ${name} assumes\n[^]*- ${name} knows\n`),
        );
      }
      // The work, and nothing of the session.
      expect(on.git("diff", "--name-only", "main", `signalbox/${run}`).split("\n")).toEqual([
        "README.md",
        "work-1.txt",
        "work-2.txt",
      ]);
      expect((await on.file(run, "tasks.yaml")).match(/status: [a-z-]+/g)).toEqual([
        "status: completed",
        "status: completed",
      ]);
      // Whoever reviews is told what was changed since the session began: what is not committed is no part of that.
      expect(JSON.parse(on.said("input.Reviewer.meta.1"))).toMatchObject({
        task: {
          session_changed_files: [
            { path: "work-1.txt", change_type: "added" },
            { path: "work-2.txt", change_type: "added" },
          ],
        },
      });
      expect(now.notes.map(({ kind }) => kind)).toEqual(["commit", "tag"]);
      expect((await on.type("show", run)).document["children"]).toMatchObject([
        { list: "judged", task: "T-001", status: "done", approved: ["Reviewer", "QA", "Security"] },
        { list: "judged", task: "T-002", status: "done", approved: ["Reviewer"] },
        { list: "approved", task: "meta", status: "done", approved: ["Reviewer", "QA", "Security"] },
      ]);
      expect((await on.type("verify", run)).code).toBe(0);
    });
  });

  test("single final: all of it is judged once", async ({ expect }) => {
    await inSession({ agents: { "Reviewer.meta": "OK minor" } }, async (on) => {
      const run = await on.run("--param", "release=notes", "--param", "tag=v1");
      await on.people(run, "approved, single-final");
      // Notes that nobody was asked about are told at the next gate.
      expect(
        ((await on.type("show", run)).document["decision"] as { asked: string[] }).asked.join("\n"),
      ).toContain("task meta, review: minor work-1.txt: It is wrong, 1");
      const now = await on.people(run, "attested");
      expect(wayOf(now)).toBe(`${BEFORE} SINGLE_FINAL ${AFTER.replace("RELEASE", "RELEASE RELEASE_NOTES")}`);
      expect(on.called().slice(3).join(" ")).toBe(`Coder.T-001 Coder.T-002 ${LAST_PASS} Integrator`);
      expect((await on.file(run, "tasks.yaml")).match(/status: [a-z-]+/g)).toEqual([
        "status: completed",
        "status: completed",
      ]);
      expect(await on.file(run, "release-notes.md")).toContain("new");
      expect(on.git("rev-parse", "v1^{commit}")).toBe(on.git("rev-parse", `signalbox/${run}`));
    });
  });

  test.runIf(IS_DEEP)(
    "lean: one agent codes, others judge it, and its words are the report",
    async ({ expect }) => {
      await inSession({}, async (on) => {
        const run = await on.run("--lean");
        const now = await on.people(run, "run");
        expect(wayOf(now)).toBe(
          "INTAKE_LEAN LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_VOUCH_ONLY LEAN_CHECKS LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE",
        );
        expect(on.called()).toEqual(["SpecAgent", "Coder", "Reviewer.lean", "QA.lean"]);
        expect(await on.status(run)).toMatchObject({ current_state: "DONE", mode: "lean" });
        expect(await on.file(run, "report.md")).toContain("All of it.");
        expect(on.git("diff", "--name-only", "main", `signalbox/${run}`)).toBe("lean.txt");
      });
    },
  );

  test("lean to full: the same session, its code kept, its lean files put aside", async ({ expect }) => {
    await inSession({ agents: { Coder: "OK complex" } }, async (on) => {
      const run = await on.run("--lean");
      const now = await on.rested(run);
      expect(wayOf(now)).toBe("INTAKE_LEAN LEAN_CODE INTAKE DESIGN APPROVE_DESIGN");
      expect(await on.status(run)).toMatchObject({ current_state: "APPROVE_DESIGN", mode: "full" });
      expect(await on.file(run, "spec.md")).toContain("## Goals");
      expect(await on.file(run, "../../lean.txt")).toBe("lean 1\n");
      const aside = Object.keys(filesBelow(join(on.home.root, "runs", run, "archive")));
      expect(aside.map((file) => file.replace(/^.*_goal./, ""))).toEqual([
        "acceptance.json",
        "contract/SpecAgent.output.json",
        "spec.md",
        "tasks.yaml",
      ]);
    });
  });

  test("lean without a specification: the person's own words are it, and are checked", async ({ expect }) => {
    await inSession({ agents: { SpecAgent: "die*" } }, async (on) => {
      const criteria = "It is there\ncmd: sh check.sh";
      const run = await on.run("--lean", "--param", `criteria=${criteria}`);
      const now = await on.people(run, "run, attested");
      expect(wayOf(now)).toBe(
        "INTAKE_LEAN LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_VOUCH LEAN_CHECKS LEAN_ATTEST LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE",
      );
      expect(on.said("checked")).toBe("check");
      expect(JSON.parse(await on.file(run, "acceptance.json"))).toEqual({
        acceptance_criteria: [
          { id: "AC-001", description: "It is there", verify: ["manual: It is there"] },
          { id: "AC-002", description: "cmd: sh check.sh", verify: ["cmd: sh check.sh"] },
        ],
      });
      expect(await on.file(run, "spec.md")).toContain("## Acceptance Criteria\n\n- It is there\n");
      expect(await on.file(run, "tasks.yaml")).toContain("id: lean\n    status: completed");
    });
  });
});
