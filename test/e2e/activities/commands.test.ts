/** A check of several commands: all are run, each says how it ended, and nothing to run is nothing that passes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { onStage } from "./stage.ts";

const LINT = `echo "src/a.sh:1:2: error: no"; exit 3`;
const FILES = { "lint.sh": LINT, "test.sh": "printf fine", "src/a.sh": "true" };

describe.runIf(isPerson).concurrent("commands", () => {
  test.for<[string, string[], string, object, string]>([
    [
      "all are run, also after a red one",
      [],
      "$ sh lint.sh\nsrc/a.sh:1:2: error: no\n\n$ sh test.sh\nfine",
      {
        commands: [
          { command: "sh lint.sh", exitCode: 3 },
          { command: "sh test.sh", exitCode: 0 },
        ],
        passed: false,
        failing: "source",
        rule: "located",
        output: "TESTS.txt",
      },
      "tests: needs_fix (sh lint.sh: 3, sh test.sh: 0, failing: source, rule: located); testing -> red",
    ],
    [
      "an empty one is left out",
      ["--param", "lint="],
      "$ sh test.sh\nfine",
      { commands: [{ command: "sh test.sh", exitCode: 0 }], passed: true },
      "tests: pass; testing -> green",
    ],
    [
      "nothing to run does not pass",
      ["--param", "lint=", "--param", "test= "],
      "there is nothing to run: every command of this check is empty\n",
      { commands: [], passed: false, failing: "unknown", rule: "no-path" },
      "tests: needs_fix (exit code 1); testing -> red",
    ],
  ])("%s", async ([, params, output, results, told], { expect }) => {
    await onStage({ workflow: "commands", agents: {}, files: FILES }, async (stage) => {
      const run = await stage.begin("commands", ...params);
      const now = await stage.until(run, ({ state, isIdle }) => state !== "testing" && isIdle);
      expect((await stage.trace(run)).at(-1)).toContain(told);
      const path = now.workspace?.path ?? "";
      expect(readFileSync(join(path, "TESTS.txt"), "utf8")).toBe(output);
      expect(JSON.parse(readFileSync(join(path, "results.json"), "utf8"))).toMatchObject(results);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });
});
