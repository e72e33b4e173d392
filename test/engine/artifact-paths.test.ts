/** What of a run's files git must not take for work: what the engine names is what git's side understands. */

import { expect, test } from "vitest";
import { artifactTest, ignoreLines } from "../../src/adapters/git/artifact-paths.ts";
import { NO_RUN } from "../../src/core/run.ts";
import { artifactPaths } from "../../src/engine/place.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";

function pathsOf(name: string): string[] {
  const found = fixturesIn("good").find((each) => each.name === name);
  const workflow = found === undefined ? undefined : checkFixture(found).workflow;
  if (workflow === undefined) throw new Error(`the corpus lacks ${name}`);
  return artifactPaths(workflow, { ...NO_RUN, id: "r1" });
}

test("the parts of a fan-out are no work, whatever their members are called", () => {
  const paths = pathsOf("review-mended-by-file.yaml");
  const parts = paths.filter((path) => path.includes("{"));
  expect(parts.length).toBeGreaterThan(0);
  const [part = ""] = parts;
  expect(ignoreLines(paths)).toContain(`/${part.replaceAll(/\{[a-z]+\}/g, "*")}`);
  expect(artifactTest(paths)(part.replaceAll(/\{[a-z]+\}/g, "src a"))).toBe(true);
});
