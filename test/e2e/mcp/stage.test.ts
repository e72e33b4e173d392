/** Tools in a stage: several agents of one role at once, each with its own part, and a review that is a JSON file. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { onStage, type Stage } from "../activities/stage.ts";
import { until } from "../process-bench.ts";
import { talkTo, type Talk } from "./support.ts";

const PHASES = ".agents/tmp/phases";
const PLAN = `### Task 1: A script that shouts

Files: src/shout.sh
Dependencies: none
Complexity: easy
Instructions: greet in capital letters
`;

/** It leaves what it would hand on, and waits: somebody else speaks for it. */
const silent = (word: string): string =>
  `printf '%s' "$SIGNALBOX_TOKEN" >"$LEDGER/new.$SIGNALBOX_JOB"; mv "$LEDGER/new.$SIGNALBOX_JOB" "$LEDGER/job.$SIGNALBOX_JOB"; await ${word}`;
const AGENTS = {
  brainstormer: `mkdir -p ${PHASES}; printf '## Approach\\n\\nA script.\\n\\n## Areas\\n\\n- code\\n- tests\\n' >${PHASES}/1.1-brainstorm.md`,
  planner: silent("planned"),
  merger: `cat >${PHASES}/1.2-plan.md <<'END'\n${PLAN}END`,
  "plan-reviewer": silent("reviewed"),
};

function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // It is not there, or no longer.
    return undefined;
  }
}

async function talkOf(stage: Stage, run: string, who: string): Promise<Talk> {
  const file = await until(() =>
    readdirSync(stage.ledger).find((name) => name.startsWith(`job.${run}.${who}.`)),
  );
  const token = readFileSync(join(stage.ledger, file), "utf8");
  const job = file.slice("job.".length);
  const env = { ...stage.env, SIGNALBOX_RUN: run, SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: job };
  return talkTo({ env, cwd: (await stage.now(run)).workspace?.path ?? "" });
}

test.runIf(isPerson)("each has its own part; a review in fields becomes the file", () =>
  onStage({ workflow: "staged-plan", agents: AGENTS }, async (stage) => {
    const run = await stage.begin("staged-plan", "--param", "reviewer_harness=scripted");
    const planners = [await talkOf(stage, run, "planner.code"), await talkOf(stage, run, "planner.tests")];
    for (const [at, slot] of ["code", "tests"].entries()) {
      const talk = planners[at];
      const other = slot === "code" ? "tests" : "code";
      const files = [`${PHASES}/1.1-brainstorm.md`, `${PHASES}/1.2-plan.${slot}.md`];
      expect((await talk?.call("get_task"))?.data).toMatchObject({ role: "planner", slot, files });
      expect((await talk?.call("read_context", { file: files[0] }))?.text).toContain("- tests");
      const theirs = await talk?.call("read_context", { file: `${PHASES}/1.2-plan.${other}.md` });
      expect(theirs?.data).toMatchObject({ code: "not-yours", exit: 4 });
      expect(await talk?.tools()).not.toContain("create_review");
      const [artifact] = ((await talk?.call("next"))?.data["artifacts"] ?? []) as { artifact: string }[];
      const given = { artifact: artifact?.artifact, content: `One task for ${slot}.\n` };
      expect(await talk?.call("submit_artifact", given)).toMatchObject({ isError: false });
    }
    stage.say("planned");
    await stage.until(run, ({ state }) => state === "1.3");
    const reviewer = await talkOf(stage, run, "plan-reviewer");
    const places = [
      (await stage.now(run)).workspace?.path ?? "",
      join(stage.home.root, "runs", run, "files"),
    ];
    const [file = "", kept = ""] = places.map((place) => join(place, PHASES, "1.3-plan-review.json"));
    const found = { severity: "HIGH", location: "Task 1", issue: "no test" };
    const slip = await reviewer.call("create_review", { verdict: "approved", summary: "x", issues: [found] });
    expect(slip.text).toContain('"approved" passes it, but issues that block are listed: 1 high');
    expect(readdirSync(join(file, ".."))).not.toContain("1.3-plan-review.json");
    const good = await reviewer.call("create_review", { verdict: "approved", summary: "Good.", issues: [] });
    expect(good).toMatchObject({ isError: false, data: { from: "1.3", to: "planned" } });
    // The run is over: its workspace is given back, now or in a moment.
    expect(JSON.parse(await until(() => textAt(kept) ?? textAt(file)))).toEqual({
      status: "approved",
      summary: "Good.",
      issues: [],
    });
    stage.say("reviewed");
  }),
);
