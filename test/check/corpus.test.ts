import { describe, expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import type { DefectCode } from "../../src/core/check/defect.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { checkFixture, fixturesIn, type Found } from "./corpus.ts";
import { replay } from "./replay.ts";

const ROUNDS = 50;
const broken = fixturesIn("broken");
const good = fixturesIn("good");
/** What takes longest, in the deep tier. */
const LONGEST = "thirteen-phases.yaml";
const PROVEN = good.filter(({ name }) => process.env["SIGNALBOX_DEEP"] !== undefined || name !== LONGEST);

/** Every code there is, and whether a trace leads to it. */
const CODES: Readonly<Record<DefectCode, "trace" | "no trace">> = {
  "ambiguous-move": "trace",
  "assertion-violated": "trace",
  "bad-child": "no trace",
  "bad-prompt": "no trace",
  "budget-without-exit": "trace",
  "dead-end": "trace",
  "death-without-rule": "trace",
  "gate-without-exit": "trace",
  "left-alive": "trace",
  "move-out-of-final": "no trace",
  "never-possible": "no trace",
  "no-final": "no trace",
  "no-producer": "no trace",
  "no-start": "no trace",
  "no-way-to-finish": "trace",
  "too-large": "no trace",
  "unbounded-loop": "trace",
  "unreachable-state": "no trace",
};

const PROBLEMS = [
  "alias",
  "bad-action",
  "bad-archive",
  "bad-artifact",
  "bad-command",
  "bad-condition",
  "bad-counter",
  "bad-name",
  "bad-option",
  "bad-param",
  "bad-phase",
  "bad-projection",
  "bad-value",
  "bad-verb",
  "circular",
  "duplicate-end",
  "duplicate-key",
  "key-not-text",
  "merge-key",
  "name-clash",
  "no-next",
  "no-producer",
  "no-schema",
  "no-stage",
  "reserved-name",
  "tag",
  "unknown-artifact",
  "unknown-ask",
  "unknown-condition",
  "unknown-counter",
  "unknown-deed",
  "unknown-key",
  "unknown-list",
  "unknown-parameter",
  "unknown-phase",
  "unknown-prompt",
  "unknown-resource",
  "unknown-role",
  "unknown-scope",
  "unknown-state",
  "unknown-value",
  "wrong-schema",
];

function show({ at, code, suggestion }: Omit<Found, "trace">): string {
  return `${at} ${code}${suggestion === "" ? "" : ` ~${suggestion}`}`;
}

test("the corpus is there, one defect each, with every code", () => {
  expect(broken.length).toBeGreaterThanOrEqual(100);
  expect(good.length).toBeGreaterThanOrEqual(14);
  expect(broken.filter(({ expected }) => expected.length !== 1).map(({ name }) => name)).toEqual([]);
  expect(good.filter(({ expected }) => expected.length > 0)).toEqual([]);
  const covered = new Set(broken.flatMap(({ expected }) => expected.map(({ code }) => code)));
  const wanted = [...PROBLEMS, ...Object.keys(CODES)].filter((code) => code !== "too-large");
  expect(wanted.filter((code) => !covered.has(code))).toEqual([]);
});

describe("one defect is one report, at its place", () => {
  test.for(broken.map((fixture) => [fixture.name, fixture] as const))("%s", ([, fixture]) => {
    const { found, workflow } = checkFixture(fixture);
    expect(found.map(show)).toEqual(fixture.expected.map(show));
    for (const [index, { message }] of fixture.expected.entries())
      expect(found[index]?.message).toContain(message);
    const flaws = workflow === undefined ? [] : found.map((each) => flawOf(workflow, each));
    expect(flaws.filter((flaw) => flaw !== "")).toEqual([]);
  });
});

/** What is wrong with a counterexample, if anything: it must be there, it must happen, and it must end where it says. */
function flawOf(workflow: Workflow, { code, at, trace }: Found): string {
  const isTold = Object.entries(CODES).some(([known, kind]) => known === code && kind === "trace");
  if (!isTold) return trace.length === 0 ? "" : "a trace that leads nowhere";
  if (trace.length === 0) return "no trace";
  const runs = replay(workflow, trace, ROUNDS);
  if (runs.length === 0) return `cannot happen:\n${trace.join("\n")}`;
  const state = Object.entries(workflow.definition.places).find(
    ([name, place]) => name.startsWith("states.") && `${place.file}:${place.line}:${place.col}` === at,
  );
  const isThere = state === undefined || runs.some((run) => `states.${run.state}` === state[0]);
  return isThere ? "" : `it ends elsewhere:\n${trace.join("\n")}`;
}

test("a story that cannot happen is not played", () => {
  const { found, workflow } = checkFixture(
    broken.find(({ name }) => name === "loop-by-an-agent.yaml") ?? fail(),
  );
  const trace = found[0]?.trace ?? [];
  expect(trace.length).toBeGreaterThan(1);
  for (const [index] of trace.entries())
    expect(replay(workflow ?? fail(), trace.toSpliced(index, 1, "worker asks for closed"))).toEqual([]);
});

describe("a good definition has no defect and a finite worst case", () => {
  test.for(PROVEN.map((fixture) => [fixture.name, fixture] as const))("%s", ([, fixture]) => {
    const { found, report } = checkFixture(fixture);
    expect(found.map((each) => `${show(each)} ${each.message}`)).toEqual([]);
    const worst = Object.entries(report?.worst ?? {});
    expect(worst.length).toBeGreaterThan(0);
    for (const [, value] of worst) expect(Number.isFinite(value)).toBe(true);
  });
});

test("a definition that is too large to be proven is refused, not half checked", () => {
  const { workflow } = checkFixture(good.find(({ name }) => name === "implement-loop.yaml") ?? fail());
  const { defects, worst } = check(workflow ?? fail(), 20);
  expect(defects.map(({ code }) => code)).toEqual(["too-large"]);
  expect(worst).toEqual({});
});

test.for<[string, string | Uint8Array, string]>([
  ["over 256 KB", `${head()}# ${"x".repeat(262_144)}\n`, "1:1 too-big"],
  ["nested more than 50 deep", `${head()}states: ${"[".repeat(60)}${"]".repeat(60)}\n`, "4:58 too-deep"],
  ["a NUL byte", `${head()}states: \0\n`, "4:9 control-character"],
  ["invalid UTF-8", Uint8Array.of(0x61, 0x3a, 0x20, 0xff), "1:4 not-utf-8"],
  ["an anchor", `${head()}states: &x {}\n`, "4:9 anchor"],
])("refused before anything is made of it: %s", ([, text, problems]) => {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const parsed = parseWorkflow({ file: "flow.yaml", bytes, prompts: {} });
  const told = parsed.ok ? [] : parsed.problems;
  expect(told.map(({ line, col, code }) => `${line}:${col} ${code}`).join(", ")).toBe(problems);
});

test("all problems of a file are told at once", () => {
  const text = `${head()}states:
  open: { wait: true }
  closed: { final: done }
moves:
  - { from: start, to: opne, by: human }
  - { from: open, to: closed, by: humna, need: plan }
ends:
  - { role: worker, in: open, else: {} }
`;
  const parsed = parseWorkflow({ file: "flow.yaml", bytes: new TextEncoder().encode(text), prompts: {} });
  const told = parsed.ok ? [] : parsed.problems;
  expect(told.map(({ line, col, code }) => `${line}:${col} ${code}`)).toEqual([
    "5:11 unknown-key",
    "8:24 unknown-state",
    "9:35 unknown-role",
    "9:48 unknown-artifact",
    "11:13 unknown-role",
  ]);
});

function head(): string {
  return "$schema: workflow-1.schema.json\nname: flow\ntitle: A workflow\n";
}

function fail(): never {
  throw new Error("the corpus lacks a file");
}
