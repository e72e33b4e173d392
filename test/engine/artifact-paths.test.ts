/** What is not part of the work: files of artifacts, also those of every member of a fan-out. */
import { expect, test } from "vitest";
import { artifactTest, ignoreLines, isCovered } from "../../src/adapters/git/snapshot/paths.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { artifactPaths, leftOutOf } from "../../src/engine/submit/place.ts";
import { fromText } from "../support/workflows.ts";

const workflow = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: parts
title: A file for each member
roles: { worker: {} }
stages:
  ONE:
    stuck: stuck
    then: done
    phases:
      list: { run: worker, out: { in: list.md, document: [Areas], lists: { areas: Areas } } }
      whole: { each: list.areas, run: worker, part: "parts/{slot}.md", merge: worker, failed: ask, out: whole.md }
states:
  done: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: list, by: human, reserve: workspace }
asks:
  stuck: { question: worker, options: { retry: { to: origin }, drop: { to: dropped } } }
`);

test.for<[file: string, isArtifact: boolean]>([
  ["list.md", true],
  ["whole.md", true],
  ["parts/api.md", true],
  ["parts/how it is tested.md", true],
  ["parts/*.md", true],
  ["parts/deep/api.md", false],
  ["parts/api.ts", false],
])("%s: %s", ([file, isArtifact]) => {
  expect(artifactTest(artifactPaths(workflow, NO_RUN))(file)).toBe(isArtifact);
});

test("git is given a pattern for them", () => {
  expect(ignoreLines(artifactPaths(workflow, NO_RUN))).toContain("/parts/*.md");
});

test.for<[path: string, by: string, is: boolean]>([
  ["tasks/ab12.json", "tasks/{run}.json", true],
  ["tasks/a [b]* \\.json", "tasks/{run}.json", true],
  ["tasks/a [b]* \\.json", "tasks/a [b]* \\.json", true],
  ["tasks/{slot}.json", "tasks/{run}.json", true],
  ["tasks/{slot}.payload.json", "tasks/{run}.json", false],
  ["tasks/deep/ab12.json", "tasks/{run}.json", false],
  ["tasks/ab12-json", "tasks/{run}.json", false],
  ["other/tasks/ab12.json", "tasks/{run}.json", false],
  ["tasks/{run}.json", "tasks/ab12.json", false],
])("%s is left out where %s is: %s", ([path, by, is]) => {
  const line = ignoreLines([path]).at(-1) ?? "";
  expect(isCovered(line, ignoreLines([by]))).toBe(is);
});

test.for<[commits: readonly string[], leftOut: string]>([
  [[], ""],
  [["summary without $scratch"], "tmp/"],
  [["summary without $scratch", "summary without $scratch"], "tmp/"],
  [["summary without $scratch", "summary"], ""],
  [["summary without $scratch", "summary without $docs"], ""],
])("where %o are committed, no part of the work is: %s", ([commits, leftOut]) => {
  const enter = commits.map(
    (words, index) => `  s${index}: { waits: true, enter: [perform commit from ${words}] }`,
  );
  const moves = commits.map(
    (_, index) => `  - { from: ${index === 0 ? "working" : `s${index - 1}`}, to: s${index}, by: human }`,
  );
  const committing = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: parcel
title: A parcel
params: { scratch: { text: tmp/ }, docs: { text: docs/ } }
artifacts:
  summary: { in: summary.json, json: true, by: human }
  closed: { fact: committed }
states:
  working: { waits: true }
${enter.join("\n")}
  done: { final: done }
moves:
  - { from: start, to: working, by: human, reserve: workspace }
${moves.join("\n")}
  - { from: ${commits.length === 0 ? "working" : `s${commits.length - 1}`}, to: done, by: human }
`);
  const run = { ...NO_RUN, params: { scratch: "tmp/", docs: "docs/" } };
  expect(leftOutOf(committing, run)).toBe(leftOut);
});
