/** The acceptance scenarios of the seed, in its own words. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { withStore } from "../served-support.ts";
import { inChange, LONG, PLAYER, type Play } from "./play.ts";

const NO_FRONT = `## 1. Data Layer

- [ ] 1.1 Keep it
  - File: src/x-1.txt (CREATE)
  - Spec: session#R1
`;

/** Its program comes later than it is called. */
const LATE = `{ driver: command, command: [sh, -c, 'exec "$HOME/../ledger/late"'], minutes: 60, stall_minutes: 60 }`;

const plan = (on: Play): Promise<string> => on.door("plan", "x", "Something else");

describe.runIf(isPerson).concurrent("the seed's acceptance criteria", LONG, () => {
  test(`Sequential Generation with Metadata
    WHEN plan is run for a new change
    THEN it generates proposal.md, then specs/, then tasks.md
    THEN tasks.md contains the change_id in its frontmatter`, async ({ expect }) => {
    await inChange({}, async (on) => {
      const held = on.hold("task-writer");
      const typed = plan(on);
      await held();
      expect([on.read("changes/x/proposal.md"), on.read("changes/x/specs/login.md")]).not.toContain("");
      expect(on.read("changes/x/tasks.md")).toBe("");
      on.letGo("task-writer");
      expect(await typed).toBe("3 challenged");
      expect(on.called()).toEqual([
        "planner",
        "spec-writer.session",
        "spec-writer.login",
        "task-writer",
        "challenger",
      ]);
      expect(on.read("changes/x/tasks.md")).toMatch(/^---\n[^]*^change_id: x$[^]*^---$/m);
      expect(on.read("changes/x/STATE.yaml")).toMatch(/^phase: challenged$/m);
      expect(on.read("changes/x/proposal.md")).toContain('<review status="approved" iteration="1"');
    });
  });

  test(`Structured Implementation Review
    WHEN impl runs the review step
    THEN it uses the create_review tool to generate a structured REVIEW.md
    THEN if the verdict is APPROVED, the phase is updated to complete`, async ({ expect }) => {
    await inChange({ agents: { reviewer: "mcp" } }, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      expect(await on.door("impl", "x")).toBe("3 complete");
      expect(on.read("changes/x/STATE.yaml")).toMatch(/^phase: complete$/m);
      const page = on.read("changes/x/REVIEW.md").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, "TIME");
      expect(page).toMatchInlineSnapshot(`
        "# Code Review (Iteration 1)

        By reviewer at TIME, from \`changes/x/review.json\`. Edits of this file have no effect.

        > It does what the specs say.

        ## Test Results

        | status | total | passed | failed | skipped |
        |---|---|---|---|---|
        | PASS | 4 | 4 | 0 | 0 |

        ## Security

        The review does not mention it.

        ## Issues

        ### LOW (1)

        1. **A name**

        > It could be shorter.

        ## Verdict

        APPROVED

        It counts as pass_with_notes.

        ## Next Steps

        Nothing is left to fix.
        "
      `);
      const { events } = await on.now(on.of("x"));
      const handed = events.filter(({ by }) => by.type === "agent" && by.role === "reviewer");
      expect(handed.map(({ event }) => event.type)).toContain("submitted");
    });
  });

  test(`Task Layer Inference
    WHEN impl is run on a change with a tasks.md file that lacks YAML frontmatter but has "## 1. Data Layer" headings
    THEN it correctly identifies the tasks as belonging to the Data Layer and proceeds with implementation`, async ({
    expect,
  }) => {
    await inChange({ instead: { "task-writer": NO_FRONT } }, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      const held = on.hold("worker.1.1");
      const typed = on.door("impl", "x");
      await held();
      const [child] = await withStore(on, (store) => store.childrenOf(on.of("x")));
      expect(child?.task).toMatchInlineSnapshot(`
        {
          "dependsOn": [],
          "files": [
            "src/x-1.txt",
          ],
          "id": "1.1",
          "layer": 0,
          "text": "File: src/x-1.txt (CREATE)
        Spec: session#R1",
          "title": "Keep it",
        }
      `);
      on.letGo("worker.1.1");
      expect(await typed).toBe("3 complete");
      expect(on.read("src/x-1.txt")).toBe("work 1.1\n");
    });
  });

  test(`Orchestration Robustness
    WHEN an agent closes its standard input at once
    THEN how it ended and what it left decide, and nothing is lost`, async ({ expect }) => {
    await inChange({ agents: { planner: "deaf", challenger: "deaf" } }, async (on) => {
      expect(await plan(on)).toBe("3 challenged");
      expect((await on.now(on.of("x"))).run.attempts).toMatchObject({ planner: 1, challenger: 1 });
    });
  });

  test(`Orchestration Robustness
    WHEN the program of an agent cannot be started
    THEN it is said which, it is tried once more, with its prompt in a file, and a person is asked, instead of crashing`, async ({
    expect,
  }) => {
    await inChange(
      { harnesses: { gemini: "{ driver: command, command: [/nowhere/agent] }" } },
      async (on) => {
        const { code, document } = await on.type("plan", "x", "Something else");
        expect([code, document["code"]]).toEqual([2, "no-program"]);
        expect(document["message"]).toContain(
          "/nowhere/agent is not there: the planner, spec-writer, task-writer and 2 more call it.",
        );
      },
    );
    await inChange({ harnesses: { codex: LATE } }, async (on) => {
      const { code, document } = await on.type("plan", "x", "Something else");
      expect([code, document["phase"], document["state"]]).toEqual([3, "proposed", "planning-stuck"]);
      expect(document["message"]).toContain("an agent has ended several times without its output");
      const told = (await on.trace(on.of("x"))).join("\n");
      expect(told.match(/challenger ended: its program did not start \(exit code 127\)/g)).toHaveLength(2);
      expect((await on.now(on.of("x"))).run.attempts["challenger"]).toBe(2);
      // No pipe is needed: it reads what it is to do from the file.
      writeFileSync(join(on.ledger, "late"), `#!/bin/sh\nexec <&-\nexec sh "${PLAYER}"\n`, { mode: 0o755 });
      expect((await on.type("answer", on.of("x"), "retry")).code).toBe(0);
      expect(await on.door("plan", "x")).toBe("3 challenged");
    });
  });
});
