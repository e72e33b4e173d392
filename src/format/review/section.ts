/** A review as a section of a page: its fields and its text format. */

import { TEST_WORDS, type Severity, type Verdict } from "../../core/model/verdict.ts";
import type { Reader, Shape, ObjectShape } from "../../core/model/artifact.ts";
import { isObject } from "../json/shape.ts";

export type ReviewInput = Readonly<Record<string, unknown>>;

/** Words for severities if the definition has none. */
export const SEVERITY_WORDS: Readonly<Record<string, Severity>> = {
  CRITICAL: "critical",
  HIGH: "high",
  MEDIUM: "medium",
  LOW: "low",
};

const TEXT: Shape = { type: "text" };
const NUMBER: Shape = { type: "number" };

const ISSUE: Shape = {
  type: "object",
  required: { severity: { type: "text", values: Object.keys(SEVERITY_WORDS) }, title: TEXT },
  optional: { category: TEXT, file: TEXT, line: NUMBER, description: TEXT, recommendation: TEXT },
  open: false,
};

export const TESTS: Shape = {
  type: "object",
  required: { total: NUMBER, passed: NUMBER, failed: NUMBER },
  optional: { skipped: NUMBER, status: { type: "text", values: TEST_WORDS } },
  open: false,
};

/** The words that the section must have are fields as well. */
export function sectionShape(
  { any, all }: Extract<Reader, { type: "section" }>,
  verdicts: Readonly<Record<string, Verdict>>,
): ObjectShape {
  const texts = (words: readonly string[]): Record<string, Shape> =>
    Object.fromEntries(words.map((word) => [word, TEXT]));
  return {
    type: "object",
    required: { verdict: { type: "text", values: Object.keys(verdicts) }, ...texts(all) },
    optional: { summary: TEXT, issues: { type: "list", of: ISSUE }, tests: TESTS, ...texts(any) },
    open: false,
  };
}

/** The verdict is alone on the first line: any further text would change its word. */
export function sectionText({ verdict, summary, issues, tests, ...words }: ReviewInput): string {
  const listed: readonly unknown[] = Array.isArray(issues) ? issues : [];
  const parts = [
    `Verdict: ${String(verdict)}`,
    textOf(summary),
    ...Object.entries(words).map(([word, text]) => `${word}: ${textOf(text)}`),
    testsLine(tests),
    listed.map((issue) => issueLines(isObject(issue) ? issue : {})).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

function testsLine(tests: unknown): string {
  if (!isObject(tests)) return "";
  const counted = ["passed", "failed", "skipped"].filter((name) => typeof tests[name] === "number");
  return counted.length === 0
    ? ""
    : `Tests: ${counted.map((name) => `${textOf(tests[name])} ${name}`).join(", ")}.`;
}

/** Indented, so that no line of a description becomes a heading or a verdict of the page. */
function issueLines(issue: ReviewInput): string {
  const file = textOf(issue["file"]);
  const line = textOf(issue["line"]);
  const category = textOf(issue["category"]);
  const fix = textOf(issue["recommendation"]);
  const head = [
    `**${textOf(issue["severity"])}**`,
    ...(file === "" ? [] : [`\`${oneLine(file)}${line === "" ? "" : `:${line}`}\``]),
    ...(category === "" ? [] : [`(${oneLine(category)})`]),
    oneLine(textOf(issue["title"])),
  ].join(" ");
  const below = [textOf(issue["description"]), ...(fix === "" ? [] : [`Fix: ${fix}`])];
  return [`- ${head}`, ...below.filter((text) => text !== "").map(indented)].join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll("`", "'").replaceAll(/\s+/g, " ");
}

function indented(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => (line.trim() === "" ? "" : `  ${line}`))
    .join("\n");
}
