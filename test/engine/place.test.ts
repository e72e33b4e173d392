import { expect, test } from "vitest";
import { artifactTest, ignoreLines } from "../../src/adapters/git/artifact-paths.ts";
import { NO_RUN } from "../../src/core/run.ts";
import { artifactPaths } from "../../src/engine/place.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";

const TEXT = `$schema: workflow-1.schema.json
name: parts
title: Parts of a list
params: { goal: { text: "" } }
roles: { splitter: {}, worker: {}, merger: {} }
stages:
  ALL:
    stuck: stuck
    then: closed
    phases:
      list: { run: splitter, out: { in: list.md, document: [Areas], lists: { areas: Areas } } }
      parts: { each: list.areas, run: worker, part: "parts/{slot}.md", merge: merger, out: "{run}.md" }
states: { closed: { final: done } }
moves: [{ from: start, to: list, by: human }]
asks: { stuck: { question: stuck, options: { retry: { to: origin } } } }`;

test("what members of a fan-out write is no part of the work, whatever they are called", () => {
  const prompts = Object.fromEntries(
    ["splitter", "worker", "merger", "stuck"].map((name) => [name, { file: `${name}.md`, text: "Do it.\n" }]),
  );
  const parsed = parseWorkflow({ file: "parts.yaml", bytes: new TextEncoder().encode(TEXT), prompts });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
  const paths = artifactPaths(parsed.workflow, { ...NO_RUN, id: "r1" });
  const isArtifact = artifactTest(paths);
  const names = ["list.md", "r1.md", "r2.md", "parts/code.md", "parts/a b.md", "parts/deep/er.md", "part.md"];
  expect(names.filter(isArtifact)).toEqual(["list.md", "r1.md", "parts/code.md", "parts/a b.md"]);
  expect(ignoreLines(paths)).toContain("/parts/*.md");
});
