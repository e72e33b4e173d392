/** What agents leave for the run is no part of the work: engine and git agree on which files these are. */

import { expect, test } from "vitest";
import { artifactTest } from "../../src/adapters/git/artifact-paths.ts";
import { NO_RUN } from "../../src/core/run.ts";
import { artifactPaths } from "../../src/engine/place.ts";
import { loadWorkflow } from "../support/workflows.ts";

const isArtifact = artifactTest(artifactPaths(loadWorkflow("staged"), { ...NO_RUN, id: "k3d9" }));

test.for<[string, boolean]>([
  [".agents/tmp/phases/1.2-plan.md", true],
  [".agents/tmp/phases/1.2-plan.code.md", true],
  [".agents/tmp/phases/2.3-fix.src-a.sh.md", true],
  [".agents/tmp/state.json", true],
  [".agents/tmp/phases/2.3-fix.src/a.sh.md", false],
  [".agents/tmp/phases/notes.md", false],
  ["src/a.sh", false],
])("%s is an artifact: %s", ([file, expected]) => {
  expect(isArtifact(file)).toBe(expected);
});
