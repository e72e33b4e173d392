/** Summaries between stages: later agents are told which files to read, and never what is in them. */

import { basename, join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow, onStage } from "./stage.ts";
import { sampled } from "../../support/sampled.ts";

/** Every output has a word that stands nowhere else. */
const AGENTS = {
  scout: `echo '{ "queries": ["north", "south"] }' >queries.json`,
  explorer: `
mkdir -p found
slot=$(sed -n 's/^slot: //p' "$SIGNALBOX_PROMPT")
case "$slot" in south) exit 3 ;; esac
echo "seen by ZEBRA-$slot" >"found/$slot.md"`,
  collector: `echo "collected by ZEBRA-collector" >found.md`,
  planner: `cat "$SIGNALBOX_PROMPT" >"$LEDGER/planner"; echo "planned by ZEBRA-planner" >plan.md`,
  builder: `cat "$SIGNALBOX_PROMPT" >"$LEDGER/builder"; echo built >build.md`,
  summarizer: `
mkdir -p summaries
cat "$SIGNALBOX_PROMPT" >"$LEDGER/summarizer"
words="ZEBRA-$SIGNALBOX_JOB"
[ -e "$LEDGER/long" ] || words="$words and much more than anybody who comes later could want to know"
say long
for file in LOOK PLAN PLAN-plan; do printf '## Decisions\\n\\n%s %s\\n' "$file" "$words" >"summaries/$file.md"; done`,
};

function readFirst(prompt: string): string[] {
  return (prompt.split("## Read these first")[1] ?? "").match(/^- .*$/gm) ?? [];
}

describe.runIf(isPerson).concurrent("compaction", () => {
  test.for<[string[], string[], string[]]>(
    sampled(1, [
      [[], ["- found.md", "- summaries/LOOK.md"], ["- summaries/PLAN.md", "- found.md"]],
      [
        ["--param", "compact_stages=false", "--param", "compact_phases=true"],
        ["- found.md"],
        ["- summaries/PLAN-plan.md", "- found.md"],
      ],
      [["--param", "compact_stages=false"], ["- found.md"], ["- found.md"]],
    ]),
  )("with %o no prompt has a text of an earlier stage", async ([params, planner, builder], { expect }) => {
    await onStage({ workflow: "compaction", agents: AGENTS }, async (stage) => {
      const run = await stage.begin("compaction", ...params);
      await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      const prompts = Object.entries(filesBelow(join(stage.home.root, "runs", run))).filter(
        ([name]) => basename(name) === "prompt.md",
      );
      expect(prompts.length).toBeGreaterThan(5);
      expect(prompts.filter(([, text]) => text.includes("ZEBRA"))).toEqual([]);
      expect(readFirst(stage.said("planner"))).toEqual(planner);
      expect(readFirst(stage.said("builder"))).toEqual(builder);
      const isSummed = builder.length > 1;
      if (isSummed) expect(readFirst(stage.said("summarizer"))).toEqual(["- plan.md"]);
      const trace = (await stage.trace(run)).join("\n");
      // The first one was too long for LOOK.
      const refused = "LOOK-summary: invalid, it has \\d+ characters, and 60 are the most it may have";
      const isTried = new RegExp(`${refused}.*LOOK-summary.tries is 1; summarizer is called`).test(trace);
      expect(isTried).toBe(planner.length > 1);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });
});
