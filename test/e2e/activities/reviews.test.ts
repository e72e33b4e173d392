/** A review of the work itself: its issues are mended by several at once, each in a file, and tested and judged again. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow, onStage } from "./stage.ts";

const CODER =
  "mkdir -p src phases; for f in src/a.sh src/b.sh README.md; do echo bad >$f; done; echo done >work.md";

const issue = (severity: string, location: string): object => ({ severity, location, issue: "it is bad" });
const FOUND = {
  status: "changes",
  issues: [
    issue("high", "src/a.sh:1"),
    issue("medium", "src/b.sh:1:1"),
    issue("high", "src/a.sh:7"),
    issue("medium", "README.md"),
    issue("low", "LICENSE"),
  ],
};

/** Approves when nothing is bad any more. */
const CRITIC = `
cat "$SIGNALBOX_PROMPT" >"$LEDGER/policy"
ls phases >>"$LEDGER/left"
grep -q bad src/a.sh src/b.sh README.md || { echo '{"status":"approved","issues":[]}' >phases/judge.json; exit 0; }
echo '${JSON.stringify(FOUND)}' >phases/judge.json`;

/** Each waits until there are three of them. */
const MENDER = `
file=$(sed -n 's/^File: //p' "$SIGNALBOX_PROMPT"); note=$(sed -n 's/^Note: //p' "$SIGNALBOX_PROMPT")
say menders "$file"
grep -A2 'Read these first' "$SIGNALBOX_PROMPT" | tail -1 >"$LEDGER/told"
grep -c "it is bad" phases/judge.json >>"$LEDGER/review"
until [ "$(wc -l <"$LEDGER/menders")" -ge 3 ]; do sleep 0.02; done
echo good >"$file"; echo "mended $file" >"$note"`;

describe.runIf(isPerson).concurrent("reviews of the work", () => {
  test("issues in three files are mended by three at once, then tested and judged again", async ({
    expect,
  }) => {
    const agents = { coder: CODER, critic: CRITIC, mender: MENDER };
    await onStage({ workflow: "reviews", agents, files: { "test.sh": "true" } }, async (stage) => {
      const run = await stage.begin("reviews");
      const now = await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      const moves = now.events.flatMap(({ event }) => (event.type === "moved" ? [event.to] : []));
      expect(moves).toEqual(["work", "tests", "judge", "judge-fix", "tests", "judge", "done"]);
      expect(stage.said("menders").split("\n").toSorted()).toEqual(["README.md", "src/a.sh", "src/b.sh"]);
      expect(stage.said("told")).toBe("- phases/judge.json");
      expect(now.run.slots["judge-fix"]).toEqual({
        "src-a.sh": "done",
        "src-b.sh": "done",
        "README.md": "done",
      });
      // When the reviewer comes again, neither the old review nor the notes are there.
      expect(stage.said("left")).toBe("");
      expect(stage.said("policy")).toContain("`critical` or `high` or `medium` blocks: `approved`");
      const archive = join(stage.home.root, "runs", run, "archive");
      expect(Object.keys(filesBelow(archive))).toEqual([
        "attempt-5/phases/judge-fix.README.md.md",
        "attempt-5/phases/judge-fix.src-a.sh.md",
        "attempt-5/phases/judge-fix.src-b.sh.md",
        "attempt-5/phases/judge.json",
      ]);
      expect(now.notes.filter(({ text }) => text.includes("checkout"))).toEqual([]);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("a review that was archived may be written again to the letter: it is a new one", async ({
    expect,
  }) => {
    const critic = `
mkdir -p phases; say calls x
[ "$(grep -c x "$LEDGER/calls")" = 3 ] && { echo '{"status":"approved","issues":[]}' >phases/judge.json; exit 0; }
echo '{"status":"changes","issues":[{"severity":"high","location":"src/a.sh:1","issue":"it is bad"}]}' >phases/judge.json`;
    const mender = `echo good >>src/a.sh; sed -n 's/^Note: //p' "$SIGNALBOX_PROMPT" | { read -r note; echo mended >"$note"; }`;
    const agents = { coder: CODER, critic, mender };
    await onStage({ workflow: "reviews", agents, files: { "test.sh": "true" } }, async (stage) => {
      const run = await stage.begin("reviews");
      const { events } = await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      const moves = events.flatMap(({ event }) => (event.type === "moved" ? [event.to] : []));
      const again = ["judge-fix", "tests", "judge"];
      expect(moves).toEqual(["work", "tests", "judge", ...again, ...again, "done"]);
      expect(stage.said("calls")).toBe("x\nx\nx");
    });
  });

  test("a reviewer that changes the work changes its own checkout, and its verdict counts", async ({
    expect,
  }) => {
    const critic = `echo better >src/a.sh; echo '{"status":"approved","issues":[]}' >phases/judge.json`;
    const agents = { coder: CODER, critic, mender: "true" };
    await onStage({ workflow: "reviews", agents, files: { "test.sh": "true" } }, async (stage) => {
      const run = await stage.begin("reviews");
      const now = await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      const told = "critic 1 changed 1 file in its own checkout, which was discarded: src/a.sh";
      expect(now.notes.map(({ text }) => text)).toContain(told);
      const show = ["-C", stage.repo, "show", `signalbox/${run}:src/a.sh`];
      expect(execFileSync("git", show, { encoding: "utf8" })).toBe("bad\n");
      for (const command of ["show", "history"])
        expect(JSON.stringify((await stage.person(command, run)).document)).toContain(told);
    });
  });

  test("whoever dies over its file is tried again; when all give up, a person is asked", async ({
    expect,
  }) => {
    const agents = { coder: CODER, critic: CRITIC, mender: "say tried x; exit 3" };
    await onStage({ workflow: "reviews", agents, files: { "test.sh": "true" } }, async (stage) => {
      const run = await stage.begin("reviews", "--param", "block=high");
      await stage.until(run, ({ state, isIdle }) => state === "BUILD-blocked" && isIdle);
      expect(stage.said("tried").split("\n")).toHaveLength(3);
      expect((await stage.person("answer", run, "drop")).code).toBe(0);
      expect((await stage.now(run)).state).toBe("dropped");
    });
  });
});
