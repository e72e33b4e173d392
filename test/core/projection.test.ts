/** The files of the workflows, as projections of a run. */

import { expect, test } from "vitest";
import { viewOf } from "../../src/core/projection/run-data.ts";
import { renderProjection } from "../../src/format/projection/write.ts";
import { play, start } from "../support/play.ts";
import { inState, story, task } from "../support/task.ts";
import { loadWorkflow } from "../support/workflows.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Run } from "../../src/core/model/run.ts";

function render(workflow: Workflow, run: Run, existing?: string): string {
  const [projection] = workflow.definition.projections;
  if (projection === undefined) return "no projection";
  const resources = { workspace: "signalbox--1", session: null };
  const rendered = renderProjection(projection, viewOf(workflow, run, resources), existing);
  return rendered.ok ? rendered.text : rendered.problems.map((problem) => problem.message).join("\n");
}

test("TASK.md gets a header, and everything below it stays as it is", () => {
  const body = "## Context\n\nUsers want it.\n\n## Plan\nAPPROACH: do it\n";
  expect(render(task, inState("agent-review"), body)).toMatchInlineSnapshot(`
    "---
    id: R1
    project: ""
    branch: ""
    harness: claude
    review_harness: claude
    model: ""
    review_model: ""
    effort: ""
    review_effort: ""
    status: agent-review
    review_round: 1
    crash_count: 0
    summary: ""
    workspace: signalbox--1
    tmux_session: null
    pr_url: null
    pr_state: null
    created_at: "2026-11-15T08:00:00Z"
    updated_at: "2026-11-15T08:00:00Z"
    ---
    ## Context

    Users want it.

    ## Plan
    APPROACH: do it
    "
  `);
});

test("a header that somebody edited is written anew, their own keys are kept", () => {
  const { run } = play(task, [
    ...story("working"),
    {
      type: "param-set",
      by: { type: "human" },
      at: "2026-11-15T09:00:00Z",
      name: "summary",
      value: "Log in",
    },
  ]);
  const edited = "---\nstatus: done # please\nmine: keep me\n---\n\nbody\n";
  const text = render(task, run, edited);
  expect(text).toContain("status: working");
  expect(text).toContain("mine: keep me");
  expect(text).toContain("summary: Log in");
  expect(text.endsWith("---\n\nbody\n")).toBe(true);
});

test("state.json and status.json follow their runs", () => {
  const staged = loadWorkflow("staged-plan");
  const design = loadWorkflow("design-approval");
  expect(render(staged, play(staged, [start(staged)]).run)).toMatchInlineSnapshot(`
    "{
      "version": 2,
      "task": "",
      "status": "running",
      "currentStage": "PLAN",
      "currentPhase": "1.1",
      "stages": {
        "PLAN": {
          "restartCount": 0
        }
      },
      "startedAt": "2026-11-15T08:00:00Z",
      "updatedAt": "2026-11-15T08:00:00Z"
    }
    "
  `);
  expect(render(design, play(design, [start(design)]).run)).toMatchInlineSnapshot(`
    "{
      "current_state": "INTAKE",
      "session": "R1",
      "user_decisions": [],
      "last_update": "2026-11-15T08:00:00Z"
    }
    "
  `);
});
