/**
 * Finds out from a check's output where it failed: in tests, in the source, or unknown.
 *
 * The first rule that finds a file of the work decides, and is reported with the result:
 *
 * | rule        | what it finds                                                                            |
 * |-------------|------------------------------------------------------------------------------------------|
 * | `thrown`    | the first frame of a failure's stack trace in the work; later frames also name the test  |
 * | `named`     | the failed file that a test runner names, if no stack trace leads into the work          |
 * | `located`   | positions of errors, not of warnings, from compilers and linters                         |
 * | `ambiguous` | a file with both tests and source, or a name that several files have                     |
 * | `no-path`   | nothing                                                                                  |
 *
 * One place in the source is enough for `source`: an agent that fixes tests would not fix it.
 */

import type { Failing } from "../../core/model/verdict.ts";

/** `cut-short`: the check was stopped, so its output is incomplete. */
type PlaceRule = "thrown" | "named" | "located" | "ambiguous" | "no-path" | "cut-short";

export type FailurePlace = { readonly failing: Failing; readonly rule: PlaceRule };

type Output = {
  readonly text: string;
  /** The folder of the work. */
  readonly root: string;
  /** All files of the work, relative to it. */
  readonly files: readonly string[];
};

/** The files that a line may mean, and the rule that found it. */
type FailureSite = { readonly files: readonly string[]; readonly rule: PlaceRule; readonly isBoth?: boolean };

/** How a tool reports a failure: its first line, perhaps with a file name, and the form of a stack frame. */
type ToolFormat = {
  readonly begins: RegExp;
  readonly step?: RegExp;
  /** Python prints the innermost frame last. */
  readonly isLast?: boolean;
  /** The language has tests and source in the same files. */
  readonly isBoth?: boolean;
};

type LookUp = (name: string | undefined) => readonly string[];

const PATH = String.raw`(?<path>[^\s:'"(\[][^\s:'"]*)`;
const like = (pattern: string): RegExp => new RegExp(pattern.replaceAll("PATH", () => PATH));

/** A frame of a stack trace, or the file that could not be read. */
const JS_STEP = like(String.raw`^\s*(?:(?:at|❯) (?:.*?[\s(])?(?=\S+:\d+\)?$)|File: )PATH(?::\d+){0,2}\)?$`);
const PYTHON_STEP = like(String.raw`^\s*File "PATH", line \d+`);

const FAILURES: readonly ToolFormat[] = [
  // Vitest and Jest, with or without the label of a project.
  { begins: like(String.raw`^\s*FAIL\s+(?:\|?[\w-]+\|?\s+)?PATH`), step: JS_STEP },
  // Playwright.
  { begins: like(String.raw`^\s*\d+\) .*?› PATH:\d+:\d+ › `), step: JS_STEP },
  // Jest, Mocha, node:test.
  { begins: /^\s*(?:● |✖ |\d+\) )/, step: JS_STEP },
  { begins: /^\s*not ok \d/, step: like(String.raw`^\s+(?:at |.*\()?PATH:\d+:\d+\)?$`) },
  // pytest: a failure with its stack trace, and the summary.
  { begins: /^_{3,} .+ _{3,}$/, step: like(String.raw`^PATH:\d+: ?`), isLast: true },
  { begins: like(String.raw`^(?:FAILED|ERROR) PATH`) },
  // unittest.
  { begins: /^(?:FAIL|ERROR): /, step: PYTHON_STEP, isLast: true },
  // Go.
  { begins: /^\s*--- FAIL: /, step: like(String.raw`^\s+PATH:\d+:`) },
  { begins: /^panic: /, step: like(String.raw`^\s+PATH:\d+(?: \+0x[\da-f]+)?$`) },
  // Rust.
  { begins: like(String.raw`panicked at (?:'.*', )?PATH:\d+:\d+`), isBoth: true },
];

/** Output of passing tests may also contain stack traces; the next failure ends it. */
const ASIDE = /^\s*console\.\w+$|^(?:stdout|stderr) \| |^-+ Captured .+ -+$|^=+ .+ =+$/;

const ERRORS: readonly ToolFormat[] = [
  // tsc and prettier.
  { begins: like(String.raw`^PATH\(\d+,\d+\): error\b`) },
  { begins: like(String.raw`^\[(?:warn|error)\] PATH$`) },
  // tsc --pretty, go build, go vet, gcc, mypy, ruff.
  {
    begins: like(
      String.raw`^(?:vet: )?PATH:\d+(?::\d+)?(?::| -) (?!\s*(?:fatal )?(?:warning|note|info|hint)\b)`,
    ),
  },
  // rustc, oxlint, esbuild.
  { begins: /^error(?:\[\w+\])?: /, step: like(String.raw`^\s*--> PATH:\d+`) },
  { begins: /^warning(?:\[\w+\])?: / },
  { begins: /^\s*[×x] \S/, step: like(String.raw`^\s*[,╭][-─]+\[PATH:\d+`) },
  { begins: /^\s*[!⚠] \S/ },
  { begins: /✘ \[ERROR\]/, step: like(String.raw`^\s+PATH:\d+:\d+:$`) },
];

/** An uncaught exception without a test runner. */
const TRACES: readonly ToolFormat[] = [
  { begins: /^Traceback /, step: PYTHON_STEP, isLast: true },
  { begins: like(String.raw`^PATH:\d+$`), step: JS_STEP },
  { begins: /^(?:Uncaught )?\w*(?:Error|Exception)\b/, step: JS_STEP },
];

/** No tool prints useful information in a longer line, and matching it would take long. */
const LINE_MAX = 500;
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[[0-9;?]*[A-Za-z]/g;

export function failingOf({ text, root, files }: Output): FailurePlace {
  const plain = text.replaceAll(COLOUR, "").replaceAll(`file://${root}/`, "").replaceAll(`${root}/`, "");
  const lines = plain.split(/\r?\n/).filter((line) => line.length <= LINE_MAX);
  const lookUp = lookUpIn(files);
  const told = [
    () => failuresIn(lines, FAILURES, lookUp),
    () => [...failuresIn(lines, ERRORS, lookUp), ...underPaths(lines, lookUp)].map(located),
    () => failuresIn(lines, TRACES, lookUp),
  ];
  for (const look of told) {
    const places = look();
    if (places.length > 0) return judge(places);
  }
  return { failing: "unknown", rule: "no-path" };
}

const located = (place: FailureSite): FailureSite => ({ ...place, rule: "located" });

function judge(places: readonly FailureSite[]): FailurePlace {
  const kinds = places.map(kindOf);
  if (kinds.includes("both")) return { failing: "unknown", rule: "ambiguous" };
  const failing = kinds.includes("source") ? "source" : "test";
  const found = new Set(places.filter((_, i) => kinds[i] === failing).map(({ rule }) => rule));
  return { failing, rule: found.has("thrown") ? "thrown" : found.has("named") ? "named" : "located" };
}

function kindOf({ files, isBoth }: FailureSite): "test" | "source" | "both" {
  const tests = files.filter(isTest).length;
  if (tests === files.length) return "test";
  return tests > 0 || isBoth === true ? "both" : "source";
}

const TEST_FOLDERS = new Set(["test", "tests", "__tests__", "spec"]);

function isTest(file: string): boolean {
  const folders = file.split("/");
  const name = folders.pop() ?? "";
  return (
    folders.some((folder) => TEST_FOLDERS.has(folder)) || /\.(?:test|spec)\.|_test\.|^test_.*\.py$/.test(name)
  );
}

/** Each failure with its place: the innermost frame, or else the file that it names. */
function failuresIn(lines: readonly string[], kinds: readonly ToolFormat[], lookUp: LookUp): FailureSite[] {
  const found: FailureSite[] = [];
  let kind: ToolFormat | undefined;
  let named: readonly string[] = [];
  let thrown: readonly string[] = [];
  const close = (): void => {
    const files = thrown.length > 0 ? thrown : named;
    if (files.length > 0)
      found.push({
        files,
        rule: thrown.length > 0 ? "thrown" : "named",
        ...(kind?.isBoth === true ? { isBoth: true } : {}),
      });
    kind = undefined;
    named = [];
    thrown = [];
  };
  for (const line of lines) {
    const next = kinds.find(({ begins }) => begins.test(line));
    if (next !== undefined || ASIDE.test(line)) {
      close();
      kind = next;
      named = lookUp(next?.begins.exec(line)?.groups?.["path"]);
    } else if (kind?.step !== undefined && (thrown.length === 0 || kind.isLast === true)) {
      const files = lookUp(kind.step.exec(line)?.groups?.["path"]);
      if (files.length > 0) thrown = files;
    }
  }
  close();
  return found;
}

/** ESLint prints a file on its own line, and its problems below. */
function underPaths(lines: readonly string[], lookUp: LookUp): FailureSite[] {
  const found: FailureSite[] = [];
  let files: readonly string[] = [];
  for (const line of lines) {
    if (/^\S+$/.test(line)) files = lookUp(line);
    else if (line.trim() === "") files = [];
    else if (/^\s+\d+:\d+\s+error\s/.test(line) && files.length > 0) found.push({ files, rule: "located" });
  }
  return found;
}

/** Third-party code never counts, even if it is part of the work. */
const FOREIGN = /(?:^|\/)(?:node_modules|vendor|site-packages|\.?venv)\//;

/** A tool may print paths relative to another folder: then the end of the path counts. */
function lookUpIn(files: readonly string[]): LookUp {
  const own = files.filter((file) => !FOREIGN.test(file));
  const all = new Set(own);
  const byName = Map.groupBy(own, (file) => file.slice(file.lastIndexOf("/") + 1));
  return (told) => {
    const name = told?.replace(/^(?:\.\/)+/, "") ?? "";
    if (name === "" || name.startsWith("/") || name.startsWith("..")) return [];
    if (all.has(name)) return [name];
    const same = byName.get(name.slice(name.lastIndexOf("/") + 1)) ?? [];
    return same.filter((file) => file.endsWith(`/${name}`));
  };
}
