/** Reads a review in JSON or YAML: its verdict, its issues by severity, and its texts. */

import type { Path } from "../problem.ts";
import { FILES_MAX } from "../../core/gates/fan-out-groups.ts";
import type { Reading } from "../../core/model/event.ts";
import {
  NO_ISSUES,
  SEVERITIES,
  TEST_WORDS,
  type IssueCounts,
  type Severity,
  type Tests,
  type Verdict,
} from "../../core/model/verdict.ts";
import type { ReviewShape, Checklist, ReviewIssue, ReviewText } from "../../core/model/artifact.ts";
import { quote, cutValue } from "../reading/finding.ts";
import { nameOf, pathOf, valueAt, isObject, type ShapeMisfit } from "./shape.ts";

type Review = Pick<Reading, "verdict" | "issues" | "files" | "tests" | "review"> & {
  readonly misfits: readonly ShapeMisfit[];
  /** The verdict as written, with its path; only for a review that must be consistent. */
  readonly word?: { readonly word: string; readonly path: Path };
};

export function readReview(shape: ReviewShape, data: unknown): Review {
  const misfits: ShapeMisfit[] = [];
  const at = pathOf(shape.verdictAt);
  const word = valueAt(data, at);
  const verdict =
    typeof word === "string" && Object.hasOwn(shape.verdicts, word) ? shape.verdicts[word] : undefined;
  if (verdict === undefined) misfits.push({ path: at, reason: wrongVerdict(shape, at, word) });
  const issues = shape.issuesAt === undefined ? undefined : countIssues(shape, data, misfits);
  const files = shape.locationAt === undefined ? undefined : filesIn(shape, data);
  const testsAt = shape.testsAt === undefined ? undefined : pathOf(shape.testsAt);
  const { tests, misfits: unsound } =
    testsAt === undefined ? { misfits: [] } : readTests(valueAt(data, testsAt), testsAt);
  const issuesAt = shape.issuesAt === undefined ? [] : valueAt(data, pathOf(shape.issuesAt));
  const denied = deniedIn(shape, { data, issues: issuesAt, verdict, word, tests });
  const isNamed = testsAt !== undefined || shape.strict === true || shape.shown === true;
  return {
    misfits: [...misfits, ...unsound, ...(unsound.length > 0 ? [] : denied)],
    ...(verdict && { verdict }),
    ...(issues && { issues }),
    ...(files && { files }),
    ...(tests && { tests }),
    ...(verdict && isNamed ? { word: { word: String(word), path: at } } : {}),
    ...(verdict && shape.shown === true ? { review: wordsOf(shape, data) } : {}),
  };
}

function wordsOf(shape: ReviewShape, data: unknown): NonNullable<Reading["review"]> {
  const issues = valueAt(data, pathOf(shape.issuesAt ?? ""));
  return reviewText(data, { shape, issues, rank: (issue) => severityOf(shape, issue) });
}

function wrongVerdict(shape: ReviewShape, at: Path, word: unknown): string {
  const allowed = `allowed are ${Object.keys(shape.verdicts).join(", ")}`;
  if (word === undefined) return `the verdict ${nameOf(at)} is missing; ${allowed}`;
  return `the verdict ${nameOf(at)} is ${quote(typeof word === "string" ? word : (JSON.stringify(word) ?? ""))}; ${allowed}`;
}

function countIssues(shape: ReviewShape, data: unknown, misfits: ShapeMisfit[]): IssueCounts | undefined {
  const at = pathOf(shape.issuesAt ?? "");
  const issues = valueAt(data, at);
  if (!Array.isArray(issues)) {
    misfits.push({ path: at, reason: `the issues ${nameOf(at)} must be a list` });
    return undefined;
  }
  const counts: Record<Severity, number> = { ...NO_ISSUES };
  for (const issue of issues) counts[severityOf(shape, issue)] += 1;
  return counts;
}

function filesIn(shape: ReviewShape, data: unknown): Record<string, Severity> {
  const issues = valueAt(data, pathOf(shape.issuesAt ?? ""));
  const files = new Map<string, Severity>();
  for (const issue of Array.isArray(issues) ? issues : []) {
    const named = fileOf(valueAt(issue, pathOf(shape.locationAt ?? "")));
    const count = files.has("") ? files.size - 1 : files.size;
    const file = files.has(named) || count < FILES_MAX ? named : "";
    const severity = severityOf(shape, issue);
    const known = files.get(file);
    if (known === undefined || SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(known))
      files.set(file, severity);
  }
  return Object.fromEntries(files);
}

/** An issue of unknown severity gets the highest one: an issue must never get lost because of a word. */
function severityOf(shape: ReviewShape, issue: unknown): Severity {
  const word = valueAt(issue, pathOf(shape.severityAt ?? "severity"));
  if (typeof word !== "string") return "critical";
  const known = shape.severities ?? Object.fromEntries(SEVERITIES.map((severity) => [severity, severity]));
  const match = Object.entries(known).find(([name]) => name.toLowerCase() === word.trim().toLowerCase());
  return match?.[1] ?? "critical";
}

/**
 * A verdict with its word and its test counts. Contradictions are reported at their place: a checklist without its issues, and a
 * pass without a test.
 */
type StatedVerdict = {
  readonly data: unknown;
  readonly issues: unknown;
  readonly verdict: Verdict | undefined;
  readonly word: unknown;
  readonly tests: Tests | undefined;
};

function deniedIn(shape: ReviewShape, said: StatedVerdict): readonly ShapeMisfit[] {
  const { checklist } = shape;
  return [
    ...(checklist === undefined ? [] : unlisted(checklist, said)),
    ...(shape.tested === true ? untested(shape, said) : []),
  ];
}

function unlisted({ at, found, by }: Checklist, { data, issues }: StatedVerdict): readonly ShapeMisfit[] {
  const path: Path = at.split(".");
  const headings = valueAt(data, path);
  const listed = new Set(
    (Array.isArray(issues) ? issues : []).flatMap((issue) => {
      const named = valueAt(issue, [by]);
      return typeof named === "string" ? [plain(named)] : [];
    }),
  );
  return Object.entries(isObject(headings) ? headings : {}).flatMap(([heading, word]) => {
    if (word !== found || listed.has(plain(heading))) return [];
    const here = [...path, heading];
    const reason = `${nameOf(here)} is ${quote(found)}, but no issue with that ${by} is listed`;
    return [{ path: here, reason }];
  });
}

/** `devils_advocate` becomes "Devil's Advocate". */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Skipped tests do not count as run. A failed test is reported separately. */
function untested(
  { testsAt = "" }: ReviewShape,
  { verdict, word, tests }: StatedVerdict,
): readonly ShapeMisfit[] {
  const isPass = verdict === "pass" || verdict === "pass_with_notes";
  if (!isPass || (tests !== undefined && tests.passed + tests.failed > 0)) return [];
  const why = tests === undefined || tests.total === 0 ? "no test was run" : "every test was skipped";
  return [{ path: testsAt.split("."), reason: `${quote(String(word))} passes it, but ${why}` }];
}

/** The texts of a review have a maximum length, because the journal stores them. */
const WORDS_MAX = 2000;
const NAME_MAX = 200;
const ISSUES_MAX = 50;
/** The limit for all issues together. */
const TEXT_MAX = 24_000;

type TextSource = {
  readonly shape: ReviewShape;
  readonly issues: unknown;
  /** Returns the severity of an issue. */
  readonly rank: (issue: unknown) => Severity;
};

function reviewText(data: unknown, { shape, issues, rank }: TextSource): ReviewText {
  const top = isObject(data) ? data : {};
  const listed = Array.isArray(issues) ? issues.map((issue: unknown) => issueOf(issue, { shape, rank })) : [];
  const sorted = SEVERITIES.flatMap((severity) => listed.filter((issue) => issue.severity === severity));
  const shown: ReviewIssue[] = [];
  let length = 0;
  for (const issue of sorted) {
    length += JSON.stringify(issue).length;
    if (shown.length >= ISSUES_MAX || length > TEXT_MAX) break;
    shown.push(issue);
  }
  return {
    summary: textIn(top, ["summary"], WORDS_MAX),
    security: textIn(top, ["security_status", "security"], NAME_MAX),
    next: textIn(top, ["next_steps"], WORDS_MAX),
    issues: shown,
    more: sorted.length - shown.length,
  };
}

function issueOf(issue: unknown, { shape, rank }: Pick<TextSource, "shape" | "rank">): ReviewIssue {
  const fields = isObject(issue) ? issue : {};
  const { severityAt = "severity", locationAt } = shape;
  return {
    severity: rank(issue),
    word: textIn(fields, [severityAt], NAME_MAX),
    title: textIn(fields, ["title", "id"], NAME_MAX),
    file: textIn(
      fields,
      ["file_path", "file", ...(locationAt === undefined ? [] : [locationAt]), "location"],
      NAME_MAX,
    ),
    line: textIn(fields, ["line_number", "line"], NAME_MAX),
    description: textIn(fields, ["description", "message"], WORDS_MAX),
    recommendation: textIn(fields, ["recommendation", "recommended_fix", "suggested_fix"], WORDS_MAX),
  };
}

/** The first of these fields with content; a list becomes one line for each member. */
function textIn(fields: Readonly<Record<string, unknown>>, names: readonly string[], max: number): string {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const lines: readonly unknown[] = Array.isArray(value) ? value : [value];
    const text = lines
      .flatMap((line) => (typeof line === "string" || typeof line === "number" ? [String(line)] : []))
      .join("\n");
    if (text.trim() !== "") return cutValue(text, max);
  }
  return "";
}

/** A longer path is not accepted. */
const PATH_MAX = 200;
const PLACE = /^`?(?:\.\/)*([^\s:#`,;()]+)(:\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?)?`?(?:[\s,;(#].*|:(?!\/).*)?$/s;

/**
 * The file that an issue names. `src/a.ts`, `src/a.ts:12`, `./src/a.ts:12:3`, `src/a.ts#L4` and `Makefile:3` name a file. `the
 * whole design` does not, and neither does a path outside of the work. The file need not exist: the issue may be that it is
 * missing.
 */
export function fileOf(location: unknown): string {
  if (typeof location !== "string") return "";
  const [, path = "", line] = PLACE.exec(location.trim()) ?? [];
  const isPath = line !== undefined || path.includes("/") || /[^.]\.[A-Za-z][A-Za-z0-9]*$/.test(path);
  const isInside = !path.startsWith("/") && !path.split("/").includes("..");
  return isPath && isInside && path.length <= PATH_MAX ? path.replace(/\/+$/, "") : "";
}

/** The test counts of a review: numbers that add up, and a status that agrees with them. */

type TestsReading = { readonly tests?: Tests; readonly misfits: readonly ShapeMisfit[] };

/** `data` is the value at `path`. The shape decides whether it may be missing. */
export function readTests(data: unknown, path: Path): TestsReading {
  if (data === undefined || data === null) return { misfits: [] };
  if (!isObject(data)) return { misfits: [{ path, reason: `${nameOf(path)} must be an object` }] };
  const wrong: ShapeMisfit[] = [];
  const numberAt = (key: string): number => {
    const value = data[key];
    if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
    const at = [...path, key];
    const reason =
      value === undefined ? `${nameOf(at)} is missing` : `${nameOf(at)} must be a whole number, 0 or more`;
    wrong.push({ path: value === undefined ? path : at, reason });
    return 0;
  };
  const skipped = (data["skipped"] ?? undefined) === undefined ? 0 : numberAt("skipped");
  const counts = {
    total: numberAt("total"),
    passed: numberAt("passed"),
    failed: numberAt("failed"),
    skipped,
  };
  const word = data["status"] ?? undefined;
  const status = TEST_WORDS.find((each) => each === word);
  if (word !== undefined && status === undefined)
    wrong.push({
      path: [...path, "status"],
      reason: `${nameOf([...path, "status"])} is ${quote(typeof word === "string" ? word : (JSON.stringify(word) ?? ""))}; allowed are ${TEST_WORDS.join(", ")}`,
    });
  const tests = { ...counts, ...(status === undefined ? {} : { status }) };
  if (wrong.length > 0) return { misfits: wrong };
  return { tests, misfits: doubtsAbout(tests, path) };
}

function doubtsAbout({ status, total, passed, failed, skipped }: Tests, path: Path): ShapeMisfit[] {
  const sum = passed + failed + skipped;
  const added = [...path, "total"];
  const said = [...path, "status"];
  return [
    ...(sum === total
      ? []
      : [
          {
            path: added,
            reason: `${nameOf(added)} is ${total}, but passed ${passed}, failed ${failed} and skipped ${skipped} add up to ${sum}`,
          },
        ]),
    ...(status === "PASS" && failed > 0
      ? [{ path: said, reason: `${nameOf(said)} is PASS, but failed is ${failed}` }]
      : []),
  ];
}
