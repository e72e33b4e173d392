/**
 * Explains to a reviewer how the review is judged.
 *
 * The text calls `judge` for every word that the definition allows, so that text and judgement cannot differ.
 */

import { judge, NO_ISSUES, SEVERITIES, type Severity, type Verdict, TEST_WORDS } from "../model/verdict.ts";
import type { Artifact, ReviewShape, Shape, DataReader } from "../model/artifact.ts";
import { artifactsIn } from "../model/status.ts";
import type { Definition, Move } from "../model/workflow.ts";

type VerdictWords = Readonly<Record<string, Verdict>>;

const MEANS: Readonly<Record<Verdict, string>> = {
  pass: "it passes",
  pass_with_notes: "it passes, with notes",
  needs_fix: "it must be fixed and is reviewed again",
  needs_human: "a person must decide",
  reject: "it must not be done at all",
};

/** The reviews that this role writes in this state: artifacts with a verdict that a move from here waits for. */
export function reviewsIn(definition: Definition, role: string, state: string): string[] {
  const here = definition.moves.filter(({ from }) => from === state);
  return Object.keys(definition.artifacts).filter((name) => {
    const artifact = definition.artifacts[name];
    return (
      artifact !== undefined &&
      artifact.by.includes(role) &&
      wordsOf(artifact) !== undefined &&
      here.some((move) => awaits(move, name))
    );
  });
}

export function awaits(move: Move, name: string): boolean {
  return artifactsIn(move).includes(name);
}

function wordsOf({ reader }: Artifact): VerdictWords | undefined {
  if (reader.type === "section") return reader.verdicts;
  return reader.type === "json" || reader.type === "yaml" ? reader.review?.verdicts : undefined;
}

/** `file` is the path as the author knows it; `block` is the lowest severity that blocks in this run. */
export function policyOf(
  artifact: Artifact,
  target: { readonly file: string; readonly block: Severity },
): string {
  const { reader } = artifact;
  const { file, block } = target;
  const words = wordsOf(artifact);
  if (words === undefined) return "";
  const meanings = Object.entries(words).map(([word, verdict]) => `- \`${word}\`: ${MEANS[verdict]}.`);
  if (reader.type === "section")
    return [
      `Your verdict is the section \`## ${reader.heading}\` of \`${file}\`. Its first line is \`Verdict: WORD\` and nothing else. The words:`,
      [...meanings, "- Any other word, or none, does not count: you are asked again."].join("\n"),
    ].join("\n\n");
  if ((reader.type !== "json" && reader.type !== "yaml") || reader.review === undefined) return "";
  const { review } = reader;
  const sample = sampleOf(reader, review);
  const kind = reader.type === "json" ? "JSON" : "YAML, here in the notation of JSON";
  return [
    `Your verdict is the file \`${file}\`, one document in ${kind}:`,
    `\`\`\`json\n${sample}\n\`\`\``,
    ...(/\?":/.test(sample) ? ["A key that ends in `?` may be left out, and is written without it."] : []),
    `What \`${review.verdictAt}\` says:`,
    [
      ...meanings,
      "- Any other word, or a file that cannot be read like this, does not count: you are asked again.",
    ].join("\n"),
    ...issueRules(review, block),
  ].join("\n\n");
}

/** How issues change the claimed verdict. */
function issueRules(review: ReviewShape, block: Severity): string[] {
  if (review.issuesAt === undefined) return [];
  const words = Object.keys(review.verdicts);
  const isEmpty = (word: string): boolean => {
    const verdict = review.verdicts[word];
    return verdict !== undefined && judge(verdict, NO_ISSUES, block) === "invalid";
  };
  const blocking = severitiesOf(review, (severity) => blocks(severity, block));
  const others = severitiesOf(review, (severity) => !blocks(severity, block));
  const refusals = words.filter(isEmpty);
  const reason = review.testsAt === undefined ? "an issue" : "an issue or a failed test";
  const serious = joined(
    severitiesOf(review, (severity) => severity === "critical" || severity === "high"),
    "or",
  );
  const approvals = words.filter((word) => !isEmpty(word));
  const outcome = review.strict === true ? "does not count: you are asked again" : "counts as `needs_fix`";
  const claim = approvals.length === 0 ? "approval" : joined(approvals, "or");
  const rules = [
    ...saying(blocking, (list) => `${list} blocks: ${claim} with such an issue ${outcome}.`),
    ...saying(others, (list) => `${list} does not block: ${claim} with no others is \`pass_with_notes\`.`),
    "- Any other severity, or none, counts as the highest, and blocks.",
    ...saying(refusals, (list) => `${list} needs ${reason}: without any it does not count.`),
    ...saying(
      review.strict === true ? words.filter((word) => review.verdicts[word] === "needs_human") : [],
      (list) =>
        `${list} needs ${serious}${review.testsAt === undefined ? "" : " or a failed test"}: otherwise it does not count.`,
    ),
  ];
  return [
    `What is listed in \`${review.issuesAt}\`:`,
    rules.join("\n"),
    ...testRules(review, claim),
    ...checkRules(review),
  ];
}

function checkRules({ checklist, issuesAt }: ReviewShape): string[] {
  if (checklist === undefined || issuesAt === undefined) return [];
  const { at, found, by } = checklist;
  return [
    `What \`${at}\` says: a heading with \`${found}\` needs an issue with that \`${by}\` in \`${issuesAt}\`; without one it does not count.`,
  ];
}

function testRules({ testsAt, tested }: ReviewShape, claim: string): string[] {
  if (testsAt === undefined) return [];
  const rules = [
    "- `passed`, `failed` and `skipped` add up to `total`; `skipped` and `status` may be left out.",
    `- ${claim} with a failed test, or with the status \`FAIL\`, does not count: you are asked again.`,
    ...(tested === true ? [`- ${claim} without a test that was run does not count, either.`] : []),
  ];
  return [`What \`${testsAt}\` says of the tests:`, rules.join("\n")];
}

function blocks(severity: Severity, block: Severity): boolean {
  return judge("pass", { ...NO_ISSUES, [severity]: 1 }, block) === "needs_fix";
}

/** The reviewer's words for all severities that fulfil the condition. */
function severitiesOf({ severities }: ReviewShape, holds: (severity: Severity) => boolean): string[] {
  const known = severities ?? Object.fromEntries(SEVERITIES.map((severity) => [severity, severity]));
  return Object.keys(known).filter((word) => {
    const severity = known[word];
    return severity !== undefined && holds(severity);
  });
}

function saying(words: readonly string[], say: (list: string) => string): string[] {
  return words.length === 0 ? [] : [`- ${say(joined(words, "or"))}`];
}

function joined(words: readonly string[], link: string): string {
  return words.map((word) => `\`${word}\``).join(` ${link} `);
}

/** Descriptions by path, with dots between keys; `*` is a member of a list. */
type Descriptions = ReadonlyMap<string, string>;

function sampleOf({ shape }: DataReader, review: ReviewShape): string {
  const { verdictAt, verdicts, issuesAt, severityAt = "severity", severities, testsAt } = review;
  const ranks = Object.keys(severities ?? {});
  const told = new Map([[verdictAt, Object.keys(verdicts).join(" | ")]]);
  if (issuesAt !== undefined)
    told.set(`${issuesAt}.*.${severityAt}`, (ranks.length === 0 ? SEVERITIES : ranks).join(" | "));
  if (testsAt !== undefined) {
    told.set(`${testsAt}.status`, TEST_WORDS.join(" | "));
    for (const key of ["total", "passed", "failed", "skipped"]) told.set(`${testsAt}.${key}`, "number");
  }
  const value = shape === undefined ? treeOf(told) : valueOf(shape, "", told);
  return JSON.stringify(value, undefined, 2);
}

function valueOf(shape: Shape, at: string, told: Descriptions): unknown {
  const own = told.get(at);
  if (own !== undefined) return own;
  const below = (key: string): string => (at === "" ? key : `${at}.${key}`);
  switch (shape.type) {
    case "text":
    case "number":
    case "boolean":
      if (shape.begins !== undefined) return shape.begins.map((text) => `${text} ...`).join(" | ");
      return shape.values?.join(" | ") ?? (shape.is === undefined ? shape.type : `{${shape.is.param}}`);
    case "list":
      return [valueOf(shape.of, below("*"), told)];
    case "object": {
      const required = Object.entries(shape.required).map(
        ([key, inner]) => [key, valueOf(inner, below(key), told)] as const,
      );
      const optional = Object.entries(shape.optional).map(
        ([key, inner]) => [`${key}?`, valueOf(inner, below(key), told)] as const,
      );
      return Object.fromEntries([...required, ...optional]);
    }
  }
}

/** Without a shape, an example of only those fields that the reader uses. */
function treeOf(told: Descriptions): unknown {
  const root: Record<string, unknown> = {};
  for (const [path, words] of told) {
    const [head = "", rest] = path.split(".*.");
    const keys = head.split(".");
    const last = keys.pop() ?? "";
    let at = root;
    for (const key of keys) at = childOf(at, key);
    at[last] = rest === undefined ? words : [{ [rest]: words }];
  }
  return root;
}

function childOf(parent: Record<string, unknown>, key: string): Record<string, unknown> {
  const known = parent[key];
  if (isRecord(known)) return known;
  const made: Record<string, unknown> = {};
  parent[key] = made;
  return made;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
