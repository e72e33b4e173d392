/**
 * Definitions for the checker, each a file of its own that says what is wrong with it, on the line where it is wrong:
 *
 *     - { from: working, to: doen, by: human } #! unknown-state @25 "unknown state" ~done
 *
 * is the code, the column, a part of the message and the suggestion. A prompt has the text "Do it." unless the file
 * brings its own in comments (`# prompt NAME:`, then lines that begin with `#   `); `# prompts: a, b` names all there are.
 */

import { readdirSync, readFileSync } from "node:fs";
import { check, type Report } from "../../src/core/check/check.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Prompt } from "../../src/core/model/workflow.ts";
import { badChildren } from "../../src/engine/tasks/child.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { loadWorkflow } from "../support/workflows.ts";

/** Built in, so that children can follow it. */
const oneTask = loadWorkflow("one-task");

type Expected = {
  readonly at: string;
  readonly code: string;
  readonly message: string;
  readonly suggestion: string;
};

export type Fixture = {
  readonly name: string;
  readonly text: string;
  readonly prompts: Readonly<Record<string, Prompt>>;
  readonly expected: readonly Expected[];
};

/** A problem of the file or a defect of what it says, in one form. */
export type Found = Expected & { readonly trace: readonly string[] };

export type Checked = {
  readonly found: readonly Found[];
  readonly workflow?: Workflow;
  readonly report?: Report;
};

export function fixturesIn(folder: "broken" | "good"): Fixture[] {
  const url = new URL(`corpus/${folder}/`, import.meta.url);
  const files = readdirSync(url).filter((file) => file.endsWith(".yaml"));
  return files.toSorted().map((file) => fixtureOf(file, readFileSync(new URL(file, url), "utf8")));
}

export function checkFixture({ name, text, prompts }: Fixture): Checked {
  const parsed = parseWorkflow({ file: name, bytes: new TextEncoder().encode(text), prompts });
  if (!parsed.ok) {
    const found = parsed.problems.map((problem) => ({
      ...problem,
      at: placeText(problem),
      suggestion: problem.suggestion ?? "",
      trace: [],
    }));
    return { found };
  }
  const report = check(parsed.workflow);
  const children = badChildren(parsed.workflow, (child) => (child === "one-task" ? oneTask : undefined));
  const found = [...report.defects, ...children].map((defect) => ({
    ...defect,
    at: placeText(defect.at),
    suggestion: /\(did you mean "(.*)"\?\)$/.exec(defect.message)?.[1] ?? "",
  }));
  return { found, workflow: parsed.workflow, report };
}

function placeText(place: { readonly file: string; readonly line: number; readonly col: number }): string {
  return `${place.file}:${place.line}:${place.col}`;
}

function fixtureOf(name: string, text: string): Fixture {
  const own = ownPrompts(text);
  const only = /^# prompts: (.*)$/m.exec(text)?.[1]?.split(/,\s*/);
  const names = only ?? text.match(/[A-Za-z0-9][\w.-]*/g) ?? [];
  const defaults = names.map((each) => [each, { file: `prompts/${each}.md`, text: "Do it.\n" }] as const);
  const texts = own.map(([each, lines]) => {
    const body = lines.map((line) => line.replace(/ #! .*$/, "")).join("\n");
    return [each, { file: `prompts/${each}.md`, text: `${body}\n` }] as const;
  });
  const inFile = text.split("\n").flatMap((line, index) => {
    return line.startsWith("#   ") ? [] : expectedIn(name, line, index);
  });
  const inPrompts = own.flatMap(([each, lines]) =>
    lines.flatMap((line, index) => expectedIn(`prompts/${each}.md`, line, index)),
  );
  return {
    name,
    text,
    prompts: Object.fromEntries([...defaults, ...texts]),
    expected: [...inFile, ...inPrompts],
  };
}

function ownPrompts(text: string): (readonly [string, readonly string[]])[] {
  return [...text.matchAll(/^# prompt ([\w.-]+):\n((?:# {3}.*\n?)+)/gm)].map(([, name = "", block = ""]) => {
    const lines = block.trimEnd().split("\n");
    return [name, lines.map((line) => line.slice(4))] as const;
  });
}

function expectedIn(file: string, line: string, index: number): Expected[] {
  const match = /#! ([a-z0-9-]+) @(\d+) "(.*?)"(?: ~(\S+))?\s*$/.exec(line);
  if (match === null) return [];
  const [, code = "", col = "", message = "", suggestion = ""] = match;
  return [{ at: `${file}:${index + 1}:${col}`, code, message, suggestion }];
}
