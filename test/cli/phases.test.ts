/** What people call the stretch that a run is in: shown where the workflow has such words, and looked for by them. */
import { describe, expect, test } from "vitest";
import { viewOf } from "../../src/core/projection/run-data.ts";
import { fromText } from "../support/workflows.ts";
import { AT, machine, PERSON } from "./reading-support.ts";

const WORKFLOW = fromText(`$schema: ../schema/workflow-1.schema.json
name: letter
title: A letter
states:
  draft: { waits: true, phase: proposed }
  polish: { waits: true, phase: proposed }
  sending: { waits: true }
  sent: { final: done, phase: archived }
moves:
  - { from: start, to: draft, by: human }
  - { from: draft, to: polish, by: human }
  - { from: polish, to: sending, by: human }
  - { from: sending, to: sent, by: human }
`);

describe("runs of a workflow with phases", async () => {
  const on = await machine(WORKFLOW);
  const ways = { aaaa1111: [], bbbb2222: ["polish"], cccc3333: ["polish", "sending"] };
  const ended = { dddd4444: ["polish", "sending", "sent"] };
  for (const [index, [id, way]] of Object.entries({ ...ways, ...ended }).entries()) {
    await on.begin(id, { at: `2026-01-0${index + 1}T08:00:00Z` });
    for (const to of way) await on.happen(id, { type: "move-asked", by: PERSON, at: AT, to });
  }

  test.for<[string, string]>([
    ["list", "aaaa1111 proposed, bbbb2222 proposed, cccc3333 sending"],
    ["list --phase proposed", "aaaa1111 proposed, bbbb2222 proposed"],
    ["list --phase proposed --limit 1", "bbbb2222 proposed +1"],
    ["list --phase proposed --status done", ""],
    ["list --phase archived", "dddd4444 archived"],
    ["list --phase sending", "cccc3333 sending"],
    ["list --phase nowhere", ""],
  ])("%s: %s", async ([line, expected]) => {
    const { runs, more } = (await on.data(line)) as { runs: { run: string; phase: string }[]; more: number };
    const said = runs.map(({ run, phase }) => `${run} ${phase}`).join(", ");
    expect(more === 0 ? said : `${said} +${more}`).toBe(expected);
  });

  test("they are a column of the list, and a line of show", async () => {
    expect(await on.say("list")).toMatch(/proposed polish .* bbbb/);
    expect(await on.say("show bbbb2222")).toMatch(/state +polish.*, phase proposed/);
    expect((await on.data("show bbbb2222"))["phase"]).toBe("proposed");
  });

  test("a projection shows them, and of a state without one its name", async () => {
    const phases = await Promise.all(
      ["bbbb2222", "cccc3333"].map(async (id) => {
        const run = (await on.store.load(id))?.run;
        return run === undefined ? "" : viewOf(WORKFLOW, run, {}).run["phase"];
      }),
    );
    expect(phases).toEqual(["proposed", "sending"]);
  });
});

test("where a workflow has none, nothing is said of them", async () => {
  const on = await machine();
  await on.begin("aaaa1111");
  expect(await on.say("list")).not.toMatch(/writing +writing/);
  expect(await on.say("show aaaa1111")).not.toContain("phase");
  expect((await on.data("show aaaa1111"))["phase"]).toBe("");
});

test("the story has the title of a state that is named by a number", async () => {
  const numbered = fromText(`$schema: ../schema/workflow-1.schema.json
name: numbered
title: Numbers
states:
  "1.1": { waits: true, title: Brainstorm }
  "1.2": { waits: true, title: Plan review }
  done: { final: done, title: All of it is there }
moves:
  - { from: start, to: "1.1", by: human }
  - { from: "1.1", to: "1.2", by: human }
  - { from: "1.2", to: done, by: human }
`);
  const on = await machine(numbered);
  await on.begin("aaaa1111", { at: "2026-01-01T08:00:00Z" });
  for (const to of ["1.2", "done"])
    await on.happen("aaaa1111", { type: "move-asked", by: PERSON, at: AT, to });
  const story = await on.say("history aaaa1111");
  expect(story).toContain("created it: 1.1 (Brainstorm)");
  expect(story).toContain("moved it to 1.2 (Plan review)");
  expect(story).toContain("moved it to done.");
});
