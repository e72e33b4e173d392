/** In the deep tier, the tests of core, check and format run once more where states of the built-in workflows have other names. */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renamedCopy } from "./support/renamed-suite.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const SUITES = ["test/core", "test/check", "test/format"];
/** They put names together from parts, or read names of agents' answers that are also states. */
const LEFT_OUT = [
  "test/check/variants.test.ts",
  "test/core/orchestrated-checks.test.ts",
  "test/core/orchestrated-status.test.ts",
  "test/core/orchestrated-task.test.ts",
];

test.runIf(IS_DEEP)("the tests are green where definitions and tests have other names", () => {
  const { folder, renamed } = renamedCopy(join(mkdtempSync(join(tmpdir(), "renamed-")), "copy"));
  expect(renamed.length).toBeGreaterThan(60);
  const { SIGNALBOX_DEEP: _, ...env } = process.env;
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const left = LEFT_OUT.flatMap((file) => ["--exclude", file]);
  const { status, stdout } = spawnSync(
    process.execPath,
    [vitest, "run", "--reporter=default", ...left, ...SUITES],
    {
      cwd: folder,
      encoding: "utf8",
      env,
      maxBuffer: 2 ** 28,
    },
  );
  const failed = stdout.split("\n").filter((line) => line.includes(" FAIL "));
  expect([status, failed]).toEqual([0, []]);
});
