/**
 * What the page says about reading is what is read. A block `LANG read=NAME` is the content of that artifact; the block
 * `text` after it is what is found there.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromMarkdown } from "mdast-util-from-markdown";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { Reading } from "../../src/core/model/event.ts";
import { claimOf, rulesOf, sayContradictions, weigh } from "../../src/core/gates/review-consistency.ts";
import type { Tests } from "../../src/core/model/verdict.ts";
import type { Artifact } from "../../src/core/model/artifact.ts";
import { showProblem } from "../../src/format/problem.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/reading.md"), "utf8");
const blocks = fromMarkdown(page).children.flatMap((node) =>
  node.type === "code" ? [{ lang: node.lang ?? "", meta: node.meta ?? "", text: `${node.value}\n` }] : [],
);
const textOf = (meta: string): string => blocks.find((block) => block.meta === meta)?.text ?? "";
const artifacts = declared(textOf("artifacts"));

const examples = blocks.flatMap(({ meta, text }, index): [string, string, string][] => {
  const [, name] = /^read=(\S+)$/.exec(meta) ?? [];
  const shown = blocks[index + 1];
  return name === undefined ? [] : [[name, text, shown?.meta === "" ? shown.text : ""]];
});

test("the page has examples of every artifact it declares, and no block of another kind", () => {
  expect([...new Set(examples.map(([name]) => name))].toSorted()).toEqual(Object.keys(artifacts).toSorted());
  const others = blocks.filter(({ meta }) => !/^(artifacts|counts|does-not-count|read=\S+|)$/.test(meta));
  expect(others).toEqual([]);
  expect(blocks.filter(({ meta }) => meta === "")).toHaveLength(examples.length);
});

test.for(examples)("%s: %j", ([name, text, shown]) => {
  expect(`${found(name, text)}\n`).toBe(shown);
});

test.for(textOf("counts").trimEnd().split("\n"))("%s counts", (line) => {
  expect(found("review", `## Review\n\n${line}\n\nBecause.\n`)).toBe("pass");
});

test.for(textOf("does-not-count").trimEnd().split("\n"))("%s does not count", (line) => {
  expect(found("review", `## Review\n\n${line}\n\nBecause.\n`)).toMatch(/^invalid\n/);
});

test("a section's digest is its own", () => {
  const digest = (text: string): string => reading("notes", text).digest;
  const before = digest("# A\n\n## Notes\n\nx\n\n## Other\n\ny\n");
  expect(digest("# B\n\n## Notes\r\n\r\nx\r\n\n\n## Other\n\nz\n")).toBe(before);
  expect(digest("# A\n\n## Notes\n\nX\n\n## Other\n\ny\n")).not.toBe(before);
});

function declared(text: string): Readonly<Record<string, Artifact>> {
  const file = {
    $schema: "workflow-1.schema.json",
    name: "reading",
    title: "Artifacts of the page",
    artifacts: parse(text) as unknown,
    roles: { worker: {} },
    states: { done: { final: "done" } },
    moves: [{ from: "start", to: "done", by: "human", do: ["start worker"] }],
  };
  const prompts = { worker: { file: "prompts/worker.md", text: "" } };
  const bytes = new TextEncoder().encode(stringify(file));
  const parsed = parseWorkflow({ file: "reading.md", bytes, prompts });
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  return parsed.workflow.definition.artifacts;
}

function reading(name: string, text: string): Reading {
  const artifact = artifacts[name];
  if (artifact === undefined) throw new Error(`the page declares no artifact ${name}`);
  const bytes = new TextEncoder().encode(text);
  return readArtifact(name, artifact, { file: artifact.file, bytes, slot: "" });
}

function found(name: string, text: string): string {
  const { found: isThere, faults, verdict, issues, files, tests, fields, lists } = reading(name, text);
  const told = faults.map(({ at, reason }) => `${at.line}:${at.col} ${reason}`);
  if (!isThere || faults.length > 0) return [isThere ? "invalid" : "missing", ...told].join("\n");
  const counts = Object.entries(issues ?? {}).flatMap(([word, many]) =>
    many > 0 ? [`${many} ${word}`] : [],
  );
  const said = Object.entries(lists).map(
    ([list, members]) => `list ${list}: ${members.map((member) => JSON.stringify(member)).join(", ")}`,
  );
  return [
    verdict === undefined ? "valid" : counted(name, reading(name, text)),
    ...Object.entries(fields).map(([field, value]) => `field ${field}: ${JSON.stringify(value)}`),
    ...(issues === undefined ? [] : [`issues: ${counts.join(", ") || "none"}`]),
    ...(tests === undefined ? [] : [`tests: ${sayTests(tests)}`]),
    ...Object.entries(files ?? {}).map(([file, severity]) => `file ${file || "general"}: ${severity}`),
    ...said,
  ].join("\n");
}

/** With the reason and the place, where it is told. */
function counted(name: string, said: Reading): string {
  const reader = artifacts[name]?.reader;
  const claim = claimOf(said);
  if (claim === undefined) return "valid";
  const rules = rulesOf(
    reader?.type === "json" ? reader.review : undefined,
    name === "inspection" ? "high" : "medium",
  );
  const why = sayContradictions(claim, rules, said.said?.word);
  const at = said.said?.at;
  return [
    weigh(claim, rules),
    ...(at === undefined || why === "" ? [] : [`${at.line}:${at.col} ${why}`]),
  ].join("\n");
}

function sayTests({ status, ...counts }: Tests): string {
  const numbers = Object.entries(counts).map(([word, many]) => `${many} ${word}`);
  return [...numbers, ...(status === undefined ? [] : [status])].join(", ");
}
