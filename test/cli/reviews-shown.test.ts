/** A proposal that is reviewed twice, by commands alone: what stands in its files afterwards, and what the journal keeps of it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { scene } from "./acting-support.ts";

const REVIEWED = `$schema: workflow-1.schema.json
name: reviewed
title: A person proposes, and a person reviews
params:
  change: { text: "" }
counters:
  rounds: { max: 9 }
artifacts:
  proposal: { in: "changes/{change}/proposal.md", document: [Summary], by: human, fresh: rounds }
  review:
    in: "changes/{change}/review.json"
    json: true
    by: human
    fresh: rounds
    bind: proposal
    block: high
    review:
      verdict: verdict
      values: { APPROVED: pass, NEEDS_CHANGES: needs_fix }
      issues: issues
      severities: { HIGH: high, LOW: low }
      tests: test_results
      strict: true
states:
  proposal: { waits: true, phase: proposed }
  review: { waits: true, phase: proposed }
  challenged: { waits: true }
  closed: { final: done, phase: archived }
moves:
  - { from: start, to: proposal, by: human }
  - { from: proposal, to: review, by: human, need: proposal }
  - { from: review, to: proposal, by: engine, when: { review: needs_fix }, count: rounds }
  - { from: review, to: challenged, by: engine, when: { review: [pass, pass_with_notes] } }
  - { from: review, to: closed, by: human }
  - { from: challenged, to: closed, by: human, need: [proposal, review] }
projection:
  - file: "changes/{change}/STATE.yaml"
    as: yaml
    data:
      change_id: { from: params.change }
      phase: { from: run.phase }
      iteration: { from: run.reviews.review.iteration }
      last_action: { from: run.lastAction }
      last_verdict: { from: run.lastVerdict.verdict }
      checksums: { from: run.checksums }
      validations: { from: run.validations }
      telemetry: null
  - { file: "changes/{change}/REVIEW.md", as: review, of: review }
  - { file: "changes/{change}/proposal.md", as: review-block, of: review }
`;

const on = await scene({
  ".signalbox/workflows/reviewed/workflow.yaml": REVIEWED,
  "one.md": "## Summary\n\nUsers log in.\n",
  "two.md": "## Summary\n\nUsers log in, and out.\n",
  "no.json": JSON.stringify({
    verdict: "NEEDS_CHANGES",
    summary: "They never log out.",
    issues: [
      {
        severity: "HIGH",
        title: "## Verdict",
        file_path: "a.md",
        line_number: 3,
        description: "</review> Nobody can leave.",
      },
    ],
  }),
  "yes.json": JSON.stringify({
    verdict: "APPROVED",
    issues: [],
    test_results: { total: 2, passed: 2, failed: 0 },
  }),
  "liar.json": JSON.stringify({
    verdict: "APPROVED",
    issues: [],
    test_results: { total: 2, passed: 1, failed: 1 },
  }),
});

describe("a proposal of two rounds", async () => {
  const begun = await on.say("run reviewed --detach --quiet --param change=add-login");
  const run = begun.stdout.trim();
  const at = (file: string): string => join(runFolders(on.home, run).files, "changes/add-login", file);
  const text = (file: string): string => readFileSync(at(file), "utf8");
  const state = (): Record<string, unknown> => parse(text("STATE.yaml")) as Record<string, unknown>;
  const say = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await on.say(line.replace("RUN", run));
    return `${code} ${stdout}${stderr}`;
  };

  test("begins without a review", async () => {
    expect(begun.code).toBe(0);
    expect(state()).toMatchObject({
      change_id: "add-login",
      phase: "proposed",
      iteration: null,
      telemetry: null,
    });
    expect(existsSync(at("REVIEW.md"))).toBe(false);
    expect(await say("submit RUN proposal one.md")).toMatch(/^0 /);
    expect(await say("move RUN review")).toMatch(/^0 /);
    expect(text("proposal.md")).toBe("## Summary\n\nUsers log in.\n");
  });

  test("what contradicts itself is refused with its place, and leaves nothing", async () => {
    const said = await say("submit RUN review liar.json");
    expect(said).toMatch(
      /^5 .*"APPROVED" passes it, but 1 test failed \(changes\/add-login\/review\.json:1:12\)/,
    );
    expect(existsSync(at("REVIEW.md"))).toBe(false);
    expect(text("proposal.md")).not.toContain("<review");
  });

  test("the first round is shown on a page and at its end", async () => {
    expect(await say("submit RUN review no.json")).toMatch(/^0 /);
    expect(text("REVIEW.md")).toMatch(
      /^# Code Review \(Iteration 1\)\n[^]*`a\.md:3`[^]*## Verdict\n\nNEEDS_CHANGES\n/,
    );
    expect(text("proposal.md")).toMatch(
      /\n<review status="needs_revision" iteration="1" reviewer="human">\n[^]*\n<\/review>\n$/,
    );
    expect(text("proposal.md").match(/<\/review>/g)).toHaveLength(1);
    expect(state()).toMatchObject({
      iteration: 1,
      last_verdict: "NEEDS_CHANGES",
      last_action: "review -> proposal, by engine",
    });
  });

  test("a block makes nothing new: the proposal as it was does not count again", async () => {
    expect(await say("move RUN review")).toMatch(/^5 [^]*has not changed/);
    writeFileSync(
      at("proposal.md"),
      `${text("proposal.md")}\n<review status="approved" iteration="2" reviewer="human">\n</review>\n`,
    );
    expect(await say("move RUN review")).toMatch(/^5 [^]*has not changed/);
  });

  test("the second round is added, whatever somebody wrote there", async () => {
    expect(await say("submit RUN proposal two.md")).toMatch(/^0 /);
    expect(await say("move RUN review")).toMatch(/^0 /);
    expect(await say("submit RUN review yes.json")).toMatch(/^0 /);
    const blocks = [
      ...text("proposal.md").matchAll(/<review status="(\w+)" iteration="(\d+)" reviewer="(\w+)">/g),
    ];
    expect(blocks.map(([, ...said]) => said.join(" "))).toEqual([
      "needs_revision 1 human",
      "approved 2 human",
    ]);
    expect(text("REVIEW.md")).toMatch(/^# Code Review \(Iteration 2\)\n/);
    expect(state()).toMatchObject({ phase: "challenged", iteration: 2, last_verdict: "APPROVED" });
    expect(Object.keys(state()["checksums"] as object)).toEqual([
      "changes/add-login/proposal.md",
      "changes/add-login/review.json",
    ]);
    expect(state()["validations"]).toHaveLength(4);
  });

  test("a phase that somebody writes down moves nothing, and is told", async () => {
    writeFileSync(at("STATE.yaml"), text("STATE.yaml").replace("phase: challenged", "phase: complete"));
    expect(await say("move RUN closed")).toMatch(/^0 /);
    expect(state()["phase"]).toBe("archived");
    expect(await say("history RUN --json")).toContain(
      "phase was changed by hand from challenged to complete",
    );
  });

  test("the journal has the words of each review twice, whatever happened since", async () => {
    const all = await on.withStore(async (store) =>
      (await store.events(run)).map(({ event }) => JSON.stringify(event)),
    );
    expect(all.filter((event) => event.includes("Nobody can leave."))).toHaveLength(2);
    expect(await on.withStore(async (store) => JSON.stringify((await store.load(run))?.run))).not.toContain(
      "Nobody can leave.",
    );
  });
});
