/**
 * The other workflows: with the harnesses that they name themselves, and with fewer programs, for machines that have no more.
 *
 * A script answers for every role. The real programs run it with their own tools and in their own sandboxes, so that a file that a program
 * may not write is noticed.
 */

import { cpSync, mkdtempSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { runOfChange } from "../support/change.ts";
import { isPerson } from "../support/person.ts";
import { onMachine, type Machine } from "./machine.ts";
import { scriptConduct } from "./model/conduct.ts";
import { have, type Program } from "./programs.ts";

type Row = readonly [who: string, programs: readonly Program[], params: Readonly<Record<string, string>>];

const ROOT = join(import.meta.dirname, "../..");

/** The repository of a demo, and the script that plays its agents. */
async function inDemo(
  name: string,
  programs: readonly Program[],
  work: (on: Machine) => Promise<void>,
): Promise<void> {
  const demo = join(ROOT, "demos", name);
  const furnish = (repo: string): void => cpSync(join(demo, "repository"), repo, { recursive: true });
  await onMachine({ programs, conduct: scriptConduct(join(demo, "agent.sh")), furnish }, work);
}

const given = (params: Readonly<Record<string, string>>): string[] =>
  Object.entries(params).flatMap(([name, value]) => ["--param", `${name}=${value}`]);

/** Every one of these roles is played by codex. */
const byCodex = (roles: string): Readonly<Record<string, string>> =>
  Object.fromEntries(roles.split(" ").map((role) => [role, "codex"]));

describe.runIf(isPerson)("staged", () => {
  const settings = { git_workflow: "commit", lint_command: "sh lint.sh", test_command: "sh test.sh" };
  const workers =
    "harness explore_harness easy_harness medium_harness hard_harness plan_fixer implement_fixer test_fixer final_fixer";
  test.for<Row>([
    ["as it is: claude works, codex reviews", ["claude", "codex"], {}],
    ["codex alone", ["codex"], byCodex(workers)],
  ])("%s", async ([, programs, params], { expect, skip }) => {
    skip(!have(...programs));
    await inDemo("staged", programs, async (on) => {
      const goal = ["run", "staged", "Greetings that shout", "--detach"];
      const { document } = await on.person(...goal, ...given({ ...settings, ...params }));
      const run = String(document["run"]);
      await on.until(run, ["completed"], { context: "answer: Our own scripts." });
      expect(on.git("show", `signalbox/${run}:src/shout.sh`)).toContain("Greets loudly");
      await on.person("verify", run);
    });
  });
});

describe.runIf(isPerson)("change", () => {
  test.for<Row>([
    ["as it is: gemini plans, codex judges, claude implements", ["gemini", "codex", "claude"], {}],
    ["gemini plans, codex judges and implements", ["gemini", "codex"], byCodex("implementer")],
  ])("%s", async ([, programs, params], { expect, skip }) => {
    skip(!have(...programs));
    await inDemo("change", programs, async (on) => {
      const goal = ["plan", "shout", "Greetings that shout", "--detach"];
      await on.person(...goal, ...given({ test_command: "sh test.sh", ...params }));
      const run = runOfChange(on.repo, "shout");
      await on.until(run, ["challenged"]);
      await on.person("impl", "shout", "--detach");
      await on.until(run, ["complete"]);
      await on.person("archive", "shout", "--detach");
      await on.until(run, ["archived"]);
      const left = on.git("status", "--short", "src", "specs");
      expect(left).toMatch(/specs\/shouting\.md\n\?\? src\/shout\.sh$/);
      await on.person("verify", run);
    });
  });
});

describe.runIf(isPerson)("orchestrated", () => {
  const player = join(ROOT, "test/e2e/orchestrated/player.sh");
  /** What the script writes about itself is beside HOME: it must be where codex, too, may write. */
  const furnish = (repo: string, root: string): void => {
    writeFileSync(join(repo, "check.sh"), "true\n");
    const ledger = mkdtempSync("/tmp/signalbox-ledger-");
    onTestFinished(() => rmSync(ledger, { recursive: true, force: true }));
    rmdirSync(join(root, "ledger"));
    symlinkSync(ledger, join(root, "ledger"));
  };
  const modes = {
    full: {
      argv: [],
      answers: { "approve-design": "approved", strategy: "per-batch", attest: "attested" },
      changed: "README.md\nwork-1.txt\nwork-2.txt",
    },
    lean: { argv: ["--lean"], answers: { "lean-vouch-only": "run" }, changed: "lean.txt" },
  };
  const workers = "harness coder_harness qa_harness";
  test.for<readonly [...Row, mode: keyof typeof modes]>([
    ["as it is, in full: claude works, codex judges", ["claude", "codex"], {}, "full"],
    ["as it is, lean", ["claude", "codex"], {}, "lean"],
    ["codex alone, in full", ["codex"], byCodex(workers), "full"],
  ])("%s", async ([, programs, params, mode], { expect, skip }) => {
    skip(!have(...programs));
    const { argv, answers, changed } = modes[mode];
    await onMachine({ programs, conduct: scriptConduct(player), furnish }, async (on) => {
      const goal = ["run", "orchestrated", "A goal", "--detach"];
      const { document } = await on.person(...goal, ...argv, ...given(params));
      const run = String(document["run"]);
      await on.until(run, ["DONE"], answers);
      expect(on.git("diff", "--name-only", "main", `signalbox/${run}`)).toBe(changed);
      await on.person("verify", run);
    });
  });
});
