/** Workflows as Mermaid: what is drawn, and that nothing in a file can break the drawing. */
import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import type { Prompt } from "../../src/core/model/workflow.ts";
import { graphOf } from "../../src/format/picture/graph.ts";
import { mermaid } from "../../src/format/picture/mermaid.ts";
import { parseWorkflow, type ParsedWorkflow } from "../../src/format/workflow/parse.ts";
import { folderOf } from "../support/workflows.ts";

function parsed(text: string, prompts: Record<string, Prompt> = {}): Extract<ParsedWorkflow, { ok: true }> {
  const result = parseWorkflow({ file: "workflow.yaml", bytes: new TextEncoder().encode(text), prompts });
  if (!result.ok)
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  return result;
}

function builtIn(name: string): Extract<ParsedWorkflow, { ok: true }> {
  const folder = pathToFileURL(`${folderOf(name)}/`);
  const files = readdirSync(new URL("prompts/", folder)).map((file) => {
    const text = readFileSync(new URL(`prompts/${file}`, folder), "utf8");
    return [file.replace(".md", ""), { file: `prompts/${file}`, text }] as const;
  });
  return parsed(readFileSync(new URL("workflow.yaml", folder), "utf8"), Object.fromEntries(files));
}

function draw({ workflow, helpers }: Extract<ParsedWorkflow, { ok: true }>, expanded = false): string {
  return mermaid(workflow, helpers, { expanded });
}

const SMALL = `$schema: ../../schema/workflow-1.schema.json
name: small
title: Names that Mermaid would take for something else
params: { mode: { enum: [full, lean], default: full } }
states:
  state: { stage: note }
  "1.2-merge": { stage: note, title: 'a "quoted" title; with %%{init}%% and <b>: [[fork]] direction LR' }
  1_2_merge: { stage: end, waits: true }
  default: { final: done }
  End: { final: failed }
moves:
  - { from: start, to: state, by: human }
  - { from: state, to: "1.2-merge", by: human, when: { mode: lean } }
  - { from: state, to: "1.2-merge", by: human, when: { mode: full } }
  - { from: "1.2-merge", to: 1_2_merge, by: [human, engine], remember: true }
  - { from: 1_2_merge, to: origin, by: human }
  - { from: 1_2_merge, to: default, by: human }
  - { from: 1_2_merge, to: End, by: human }
`;

test("a small one", () => {
  expect(draw(parsed(SMALL))).toMatchInlineSnapshot(`
    "stateDiagram-v2
      %% small: Names that Mermaid would take for something else
      state "default" as s_default
      state "End" as s_End
      state "note" as s_note
      state s_note {
        state "state" as s_state
        state "1.2-merge a 'quoted' title, with %{init}% and (b) - [fork]] direction-LR" as s_1_2_merge
      }
      state "end" as s_end_2
      state s_end_2 {
        state "1_2_merge" as s_1_2_merge_2
      }
      [*] --> s_state : human
      s_state --> s_1_2_merge : human [mode lean] / human [mode full]
      s_1_2_merge --> s_1_2_merge_2 : human, engine
      s_1_2_merge_2 --> s_1_2_merge : human
      s_1_2_merge_2 --> s_default : human
      s_1_2_merge_2 --> s_End : human
      s_default --> [*]
      s_End --> [*]
      classDef human fill:#fff3cd,stroke:#b8860b,color:#3d2f00
      class s_1_2_merge_2 human
      classDef final fill:#d1e7dd,stroke:#0f5132,color:#0a3622
      class s_default final
      classDef failed fill:#f8d7da,stroke:#842029,color:#58151c
      class s_End failed
    "
  `);
});

test("task", () => {
  expect(draw(builtIn("task"))).toMatchInlineSnapshot(`
    "stateDiagram-v2
      %% task: One task in one workspace, planned, implemented, reviewed by another agent and finished by a person
      state "pending Not started yet" as pending
      state "planning The worker plans" as planning
      state "clarification The worker has questions" as clarification
      state "working The worker implements" as working
      state "agent-review Another agent reviews" as agent_review
      state "reviewing Ready for a person's review" as reviewing
      state "stuck Needs a person to sort it out" as stuck
      state "done" as done
      state "cancelled" as cancelled
      [*] --> pending : human
      [*] --> clarification : human
      [*] --> agent_review : human
      [*] --> reviewing : human
      pending --> planning : human / engine [turn holds]
      planning --> working : worker, human [plan]
      planning --> clarification : worker / human
      clarification --> planning : worker / human
      clarification --> working : worker [plan] / human [plan]
      working --> clarification : worker / human
      working --> agent_review : worker, human [handoff]
      agent_review --> reviewing : engine [review pass]
      agent_review --> working : engine [review needs_fix, review_round below]
      agent_review --> stuck : engine [review needs_fix, review_round spent]<br/>engine [crash_count spent]
      reviewing --> working : human
      reviewing --> done : human [review]
      planning --> done : human [merged holds]
      clarification --> done : human [merged holds]
      working --> done : human [merged holds]
      agent_review --> done : human [merged holds]
      stuck --> done : human [merged holds]
      stuck --> reviewing : human
      working --> stuck : worker, human / engine [crash_count spent]
      planning --> stuck : engine [crash_count spent]
      pending --> cancelled : human
      planning --> cancelled : human
      clarification --> cancelled : human
      working --> cancelled : human
      agent_review --> cancelled : human
      reviewing --> cancelled : human
      stuck --> cancelled : human
      done --> [*]
      cancelled --> [*]
      classDef human fill:#fff3cd,stroke:#b8860b,color:#3d2f00
      class pending,clarification,reviewing,stuck human
      classDef final fill:#d1e7dd,stroke:#0f5132,color:#0a3622
      class done final
      classDef cancelled fill:#e2e3e5,stroke:#41464b,color:#2b2f32
      class cancelled cancelled
    "
  `);
});

test("a stage, with its helper states folded into their phases", () => {
  expect(draw(builtIn("staged-plan"))).toMatchInlineSnapshot(`
    "stateDiagram-v2
      %% staged-plan: The PLAN stage of the staged workflow on its own, from a brainstorm to a plan that passed its review
      state "planned" as planned
      state "aborted" as aborted
      state PLAN {
        state "PLAN-blocked" as PLAN_blocked
        state "1.1 Brainstorm" as s_1_1
        state "1.2 Parallel plan" as s_1_2
        state "1.3 Plan review" as s_1_3
      }
      [*] --> s_1_1 : human
      s_1_1 --> aborted : human
      s_1_2 --> aborted : human
      s_1_3 --> aborted : human
      s_1_1 --> s_1_2 : engine [1.1]
      s_1_1 --> PLAN_blocked : engine [1.1.tries spent]
      s_1_2 --> PLAN_blocked : engine [1.2-parts some or none]<br/>engine [1.2-merge.tries spent]
      s_1_2 --> s_1_3 : engine [1.2]
      s_1_3 --> planned : engine [1.3 pass or pass_with_notes]
      s_1_3 --> PLAN_blocked : engine [1.3.tries spent]<br/>engine [1.3 needs_fix, 1.3.fixes spent, PLAN.restarts spent]<br/>engine [1.3 needs_human]<br/>engine [1.3-fix.tries spent]
      s_1_3 --> s_1_3 : fix, at most $fixes
      s_1_3 --> s_1_1 : engine [1.3 needs_fix, 1.3.fixes spent, PLAN.restarts below]
      PLAN_blocked --> s_1_1 : answer retry / answer restart
      PLAN_blocked --> s_1_2 : answer retry
      PLAN_blocked --> s_1_3 : answer retry
      PLAN_blocked --> planned : answer skip
      PLAN_blocked --> aborted : answer abort
      planned --> [*]
      aborted --> [*]
      classDef human fill:#fff3cd,stroke:#b8860b,color:#3d2f00
      class PLAN_blocked human
      classDef final fill:#d1e7dd,stroke:#0f5132,color:#0a3622
      class planned final
      classDef failed fill:#f8d7da,stroke:#842029,color:#58151c
      class aborted failed
    "
  `);
});

test("expanded, everything that sugar made is there", () => {
  const folded = draw(builtIn("staged-plan")).split("\n");
  const added = draw(builtIn("staged-plan"), true)
    .split("\n")
    .filter((line) => !folded.includes(line));
  expect(added.join("\n")).toMatchInlineSnapshot(`
    "  %% made by sugar, beside the states and moves below
      %% counter PLAN.restarts (at most $restarts per run)
      %% counter 1.1.tries (at most 3 per entry)
      %% counter 1.2.tries (at most 3 per entry)
      %% counter 1.2-merge.tries (at most 3 per entry)
      %% counter 1.3.fixes (at most $fixes per 1.3.cycle)
      %% counter 1.3.tries (at most 3 per entry)
      %% counter 1.3-fix.tries (at most 3 per entry)
      %% artifact 1.1 (.agents/tmp/phases/1.1-brainstorm.md, by brainstormer, new per PLAN)
      %% artifact 1.2-parts (.agents/tmp/phases/1.2-plan.{slot}.md, by planner, new per PLAN)
      %% artifact 1.2 (.agents/tmp/phases/1.2-plan.md, by merger or fixer, new per PLAN)
      %% artifact 1.3 (.agents/tmp/phases/1.3-plan-review.json, by plan-reviewer, new per 1.3)
      %% artifact 1.3-fix (.agents/tmp/phases/1.2-plan.md, by fixer, new per 1.3-fix)
      %% end of brainstormer in 1.1 (counts 1.1.tries)
      %% end of planner in 1.2 (counts 1.2.tries)
      %% end of merger in 1.2-merge (counts 1.2-merge.tries)
      %% end of plan-reviewer in 1.3 (counts 1.3.tries)
      %% end of fixer in 1.3-fix (counts 1.3-fix.tries)
        state "1.2-merge Parallel plan" as s_1_2_merge
        state "1.3-fix Plan review" as s_1_3_fix
      s_1_2_merge --> aborted : human
      s_1_3_fix --> aborted : human
      s_1_2 --> s_1_2_merge : engine [1.2-parts all]
      s_1_2 --> PLAN_blocked : engine [1.2-parts some or none]
      s_1_2_merge --> s_1_3 : engine [1.2]
      s_1_2_merge --> PLAN_blocked : engine [1.2-merge.tries spent]
      s_1_3 --> PLAN_blocked : engine [1.3.tries spent]<br/>engine [1.3 needs_fix, 1.3.fixes spent, PLAN.restarts spent]<br/>engine [1.3 needs_human]
      s_1_3 --> s_1_3_fix : engine [1.3 needs_fix, 1.3.fixes below]
      s_1_3_fix --> s_1_3 : engine [1.3-fix]
      s_1_3_fix --> PLAN_blocked : engine [1.3-fix.tries spent]
      PLAN_blocked --> s_1_2_merge : answer retry
      PLAN_blocked --> s_1_3_fix : answer retry"
  `);
});

test("without sugar, expanding changes only the heading", () => {
  const lines = draw(builtIn("task"), true).split("\n");
  expect(lines.toSpliced(2, 1).join("\n")).toBe(draw(builtIn("task")));
  expect(lines[2]).toBe("  %% no sugar is used here");
});

/** The lines that Mermaid's own grammar has for the little that is used of it. */
const LINES = [
  /^stateDiagram-v2$/,
  /^ {2}%% (?!\{)[^\n]*$/,
  /^ {2,4}state "[^"<>;#\n]*" as [A-Za-z]\w*$/,
  /^ {2}state [A-Za-z]\w* \{$/,
  /^ {2}\}$/,
  /^ {2}(\[\*\]|[A-Za-z]\w*) --> [A-Za-z]\w* : (?:[^:;#<>\n]|<br\/>)+$/,
  /^ {2}[A-Za-z]\w* --> \[\*\]$/,
  /^ {2}classDef (human|final|cancelled|failed) [\w:#,]+$/,
  /^ {2}class [A-Za-z]\w*(,[A-Za-z]\w*)* (human|final|cancelled|failed)$/,
  /^$/,
];

test.for(["task", "staged", "staged-plan", "design-approval", "small"])(
  "%s: every line is one that Mermaid knows",
  (name) => {
    const source = name === "small" ? parsed(SMALL) : builtIn(name);
    for (const text of [draw(source), draw(source, true)]) {
      expect(text.split("\n").filter((line) => !LINES.some((known) => known.test(line)))).toEqual([]);
      expect(text).not.toMatch(/direction\s+(TB|BT|RL|LR)|\[\[/i);
    }
  },
);

test.for(["task", "staged", "staged-plan", "design-approval"])("%s: no label loses a guard", (name) => {
  const { workflow, helpers } = builtIn(name);
  for (const expanded of [false, true]) {
    const text = mermaid(workflow, helpers, { expanded });
    const labels = graphOf(workflow, helpers, { expanded }).moves.flatMap((move) => move.labels);
    expect(labels.some((label) => /\b(below|spent)\b/.test(label))).toBe(true);
    expect(labels.filter((label) => !text.includes(label))).toEqual([]);
  }
});

test("as data: a move back leads to where the run can have come from", () => {
  const { workflow, helpers } = parsed(SMALL);
  const { states, moves } = graphOf(workflow, helpers, { expanded: false });
  expect(states.map(({ name, kind, stage }) => `${name} ${kind} ${stage}`)).toEqual([
    "state plain note",
    "1.2-merge plain note",
    "1_2_merge human end",
    "default final ",
    "End failed ",
  ]);
  expect(moves).toContainEqual({ from: "1_2_merge", to: "1.2-merge", labels: ["human"] });
  expect(moves).toContainEqual({
    from: "state",
    to: "1.2-merge",
    labels: ["human [mode lean]", "human [mode full]"],
  });
});
