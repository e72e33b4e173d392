/**
 * Where a red check failed, told by its output: in tests, in the source, or nobody can tell.
 *
 * The first rule that finds a file of the work decides, and is told with the answer:
 *
 * | rule        | what it finds                                                                                    |
 * |-------------|--------------------------------------------------------------------------------------------------|
 * | `thrown`    | under a failure, where its trace begins in the work; a trace names the test as well, further off |
 * | `named`     | the file that a runner says has failed, where none of its traces leads into the work             |
 * | `located`   | the places of errors, not of warnings, that compilers and linters tell                           |
 * | `ambiguous` | a file that holds both, or a name that several files have                                        |
 * | `no-path`   | nothing                                                                                          |
 *
 * One place in the source is enough for `source`: whoever mends tests would not mend it.
 */

import type { Failing } from "../../core/model/verdict.ts";

/** `cut-short`: the check did not end by itself, and what it would have said is not known. */
type Rule = "thrown" | "named" | "located" | "ambiguous" | "no-path" | "cut-short";

export type Told = { readonly failing: Failing; readonly rule: Rule };

type Output = {
  readonly text: string;
  /** The folder of the work. */
  readonly root: string;
  /** All files of the work, relative to it. */
  readonly files: readonly string[];
};

/** The files that a line may mean, and how it came up. */
type Place = { readonly files: readonly string[]; readonly rule: Rule; readonly isBoth?: boolean };

/** How a tool tells a failure: where it begins, perhaps with a name, and what a step of its trace looks like. */
type Kind = {
  readonly begins: RegExp;
  readonly step?: RegExp;
  /** Python tells the step in which it was thrown last. */
  readonly isLast?: boolean;
  /** Tests stand in the same files as the source. */
  readonly isBoth?: boolean;
};

type LookUp = (name: string | undefined) => readonly string[];

const PATH = String.raw`(?<path>[^\s:'"(\[][^\s:'"]*)`;
const like = (pattern: string): RegExp => new RegExp(pattern.replaceAll("PATH", () => PATH));

/** A place in a trace, or the file that could not be read. */
const JS_STEP = like(String.raw`^\s*(?:(?:at|❯) (?:.*?[\s(])?(?=\S+:\d+\)?$)|File: )PATH(?::\d+){0,2}\)?$`);
const PYTHON_STEP = like(String.raw`^\s*File "PATH", line \d+`);

const FAILURES: readonly Kind[] = [
  // Vitest and Jest, with the label of a project or without.
  { begins: like(String.raw`^\s*FAIL\s+(?:\|?[\w-]+\|?\s+)?PATH`), step: JS_STEP },
  // Playwright.
  { begins: like(String.raw`^\s*\d+\) .*?› PATH:\d+:\d+ › `), step: JS_STEP },
  // Jest, Mocha, node:test.
  { begins: /^\s*(?:● |✖ |\d+\) )/, step: JS_STEP },
  { begins: /^\s*not ok \d/, step: like(String.raw`^\s+(?:at |.*\()?PATH:\d+:\d+\)?$`) },
  // pytest: a failure with its trace, and the summary.
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

/** What a passing test prints has traces, too; the next failure ends it. */
const ASIDE = /^\s*console\.\w+$|^(?:stdout|stderr) \| |^-+ Captured .+ -+$|^=+ .+ =+$/;

const ERRORS: readonly Kind[] = [
  // tsc, and prettier.
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

/** A program that was thrown out of without a runner. */
const TRACES: readonly Kind[] = [
  { begins: /^Traceback /, step: PYTHON_STEP, isLast: true },
  { begins: like(String.raw`^PATH:\d+$`), step: JS_STEP },
  { begins: /^(?:Uncaught )?\w*(?:Error|Exception)\b/, step: JS_STEP },
];

/** No tool says anything worth knowing in a longer line, and looking through it takes long. */
const LINE_MAX = 500;
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[[0-9;?]*[A-Za-z]/g;

export function failingOf({ text, root, files }: Output): Told {
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

const located = (place: Place): Place => ({ ...place, rule: "located" });

function judge(places: readonly Place[]): Told {
  const kinds = places.map(kindOf);
  if (kinds.includes("both")) return { failing: "unknown", rule: "ambiguous" };
  const failing = kinds.includes("source") ? "source" : "test";
  const found = new Set(places.filter((_, i) => kinds[i] === failing).map(({ rule }) => rule));
  return { failing, rule: found.has("thrown") ? "thrown" : found.has("named") ? "named" : "located" };
}

function kindOf({ files, isBoth }: Place): "test" | "source" | "both" {
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

/** Each failure with its place: where it was thrown, or else what it names. */
function failuresIn(lines: readonly string[], kinds: readonly Kind[], lookUp: LookUp): Place[] {
  const found: Place[] = [];
  let kind: Kind | undefined;
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

/** ESLint tells a file in a line of its own, and what is wrong with it below. */
function underPaths(lines: readonly string[], lookUp: LookUp): Place[] {
  const found: Place[] = [];
  let files: readonly string[] = [];
  for (const line of lines) {
    if (/^\S+$/.test(line)) files = lookUp(line);
    else if (line.trim() === "") files = [];
    else if (/^\s+\d+:\d+\s+error\s/.test(line) && files.length > 0) found.push({ files, rule: "located" });
  }
  return found;
}

/** What comes from elsewhere never counts, though it may be part of the work. */
const FOREIGN = /(?:^|\/)(?:node_modules|vendor|site-packages|\.?venv)\//;

/** A tool may name a file from a folder of its own: then the end of the path counts. */
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
