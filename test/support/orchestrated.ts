/**
 * Lives of `orchestrated` and `orchestrated-task` without a process: files and the tree are values, what agents write is read by the real
 * readers, and `step` decides.
 *
 * What happens is told by who does it, a word for each time: `{ Reviewer: "BLOCKED major, OK" }`; after the last one all is well, and a star
 * means: from then on always. An answer is its status, then severities of what it found, fields that are true (`ui`), `same` where behaviour has not changed, `asks` for two questions, files that it leaves out
 * (`-spec`), `~` for a change of the work by somebody whose it is not, `fail` for a failed test, `untested` and `skipped` for none that was run, `claims` where the checklist finds something in the logic. What people do is told in one list: an
 * answer (with `!` at its end, without a text; `PART=ANSWER` for one part), `to STATE`, `edit FILE` or `edit work`, `criteria` for other ones that are handed in.
 */

import type { Workflow } from "../../src/core/model/compile.ts";
import type { Event, Facts, Incoming, Reading } from "../../src/core/model/event.ts";
import { fillPath } from "../../src/core/text/fill-path.ts";
import { answeredParts, decisive, partsOf } from "../../src/core/gates/question-parts.ts";
import { NO_RUN, type Agent, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { AT, HUMAN, reading, start, verdict } from "./play.ts";
import { loadWorkflow } from "./workflows.ts";

export const session = loadWorkflow("orchestrated");
export const task = loadWorkflow("orchestrated-task");

export type Told = {
  readonly agents?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, Literal>>;
  /** In this order, wherever it waits. After the last one it stays where it is. */
  readonly people?: readonly string[];
};

export type Lived = {
  readonly run: Run;
  readonly events: readonly Event[];
  /** The states it came through; `!role` is somebody who was called once more in the same one, `refused ANSWER` what a person could not say. */
  readonly way: readonly string[];
  readonly called: readonly string[];
  readonly archived: readonly string[];
  readonly waived: readonly string[];
};

type World = {
  readonly workflow: Workflow;
  readonly told: Told;
  readonly files: Map<string, string>;
  readonly times: Map<string, number>;
  /** All of it; and without documents. */
  tree: number;
  source: number;
};

const STEPS_MAX = 1000;
const FOLDER = ".agents-work/s";

/** Lives until it is over, or waits for somebody who does nothing more. */
export function live(workflow: Workflow, told: Told): Lived {
  const world: World = { workflow, told, files: new Map(), times: new Map(), tree: 1, source: 1 };
  const people = [...(told.people ?? [])];
  const lived: Mutable = { way: [], called: [], archived: [], waived: [], events: [] };
  const params = { session: "s", goal: "A goal", ...told.params };
  let run = NO_RUN;
  let event: Incoming | undefined = begin(workflow, params);
  for (let steps = 0; event !== undefined; steps += 1) {
    if (steps > STEPS_MAX) throw new Error(`it does not end: ${lived.way.slice(-50).join(" ")}`);
    const after = step(workflow, run, event);
    if (!after.ok) lived.way.push(`refused ${event.type === "answered" ? event.answer : event.type}`);
    else {
      lived.events.push(...after.events);
      for (const each of after.events) {
        if (each.type === "moved") lived.way.push(each.to);
        if (each.type === "waiver-given") lived.waived.push(each.artifact);
        if (each.type === "question-repeated") lived.way.push("?");
      }
      for (const effect of after.effects) {
        if (effect.type === "archive-artifacts") {
          lived.archived.push(...effect.artifacts);
          for (const name of effect.artifacts)
            world.files.delete(fillPath(run, workflow.definition.artifacts[name]?.file ?? "", ""));
        }
        if (effect.type !== "start-agent") continue;
        lived.called.push(effect.role);
        if (after.run.entry === run.entry) lived.way.push(`!${effect.role}`);
      }
      run = after.run;
    }
    event = nextOf(world, run, people);
  }
  return { run, ...lived };
}

type Mutable = {
  readonly way: string[];
  readonly called: string[];
  readonly archived: string[];
  readonly waived: string[];
  readonly events: Event[];
};

/** The first move that its parameters open. */
function begin(workflow: Workflow, params: Readonly<Record<string, Literal>>): Incoming {
  const to = workflow.definition.moves
    .filter(({ from }) => from === "start")
    .map((move) => move.to)
    .find((state) => step(workflow, NO_RUN, start(workflow, state, { params })).ok);
  return start(workflow, to, { params });
}

function nextOf(world: World, run: Run, people: string[]): Incoming | undefined {
  const busy = Object.values(run.agents).find(({ status }) => status === "called" || status === "alive");
  if (busy !== undefined) return endOf(world, run, busy);
  const seen = seenIn(world, run.state);
  if (seen !== undefined) return { type: "observed", at: AT, ...factsOf(world, run, seen) };
  const word = people.shift();
  if (word === undefined) return undefined;
  if (word.startsWith("to "))
    return { type: "move-asked", by: HUMAN, at: AT, to: word.slice(3), ...factsOf(world, run) };
  if (word === "criteria") {
    world.files.set(`${FOLDER}/acceptance.json`, CRITERIA.replace("{n}", `${count(world, "texts")}`));
    const { readings: all = [], ...facts } = factsOf(world, run);
    const own = all.filter(({ artifact }) => artifact === "acceptance");
    return { type: "submitted", by: HUMAN, at: AT, ...facts, readings: own };
  }
  if (word.startsWith("edit ")) {
    const file = `${FOLDER}/${word.slice(5)}`;
    if (word === "edit work") changeSource(world);
    else world.files.set(file, `${world.files.get(file) ?? ""}\nOne thing more.\n`);
    return { type: "observed", at: AT, ...factsOf(world, run) };
  }
  const ask = run.question?.ask ?? "";
  const shown = shownBy(world.workflow, run, ask);
  const [, part, said = ""] = /^(.+)=(.+)$/.exec(word) ?? [];
  if (part !== undefined) return partly(world, run, { part, answer: said, text: "why" });
  const answer = word.replace(/!$/, "");
  return { type: "answered", by: HUMAN, at: AT, ask, answer, text: answer === word ? "why" : "", shown };
}

/** One part of the open question is answered. What decides is what all answers by now make of it. */
function partly(
  { workflow }: World,
  run: Run,
  given: { readonly part: string; readonly answer: string; readonly text: string },
): Incoming {
  const ask = run.question?.ask ?? "";
  const declared = workflow.definition.asks[ask];
  if (declared === undefined) throw new Error(`nobody asks ${ask}`);
  const all = answeredParts(partsOf(workflow, run, ask), run.question?.parts ?? [], [{ ...given, by: "" }]);
  const shown = shownBy(workflow, run, ask);
  return { type: "answered", by: HUMAN, at: AT, ask, answer: decisive(declared, all), parts: [given], shown };
}

/** Whoever is at work writes something, or does not, and ends. */
function endOf(world: World, run: Run, { role, slot, attempt }: Agent): Incoming {
  const word = wordFor(world, role);
  const cause = word === "hang" ? "timed-out" : word === "die" ? "killed" : "exited";
  if (!LAZY.has(word)) {
    const number = `${count(world, "texts")}`;
    for (const [file, text] of written(world.workflow, { role, word, run }))
      world.files.set(file, text.replaceAll("{n}", number));
    if (role === "Coder" || word.includes("~")) changeSource(world);
    // The README is its own.
    if (role === "Docs") world.tree += 1;
  }
  const { readings: all = [], ...facts } = factsOf(world, run);
  // As the engine has it: a verdict of somebody who was ended counts for nothing.
  const left = cause === "exited" ? all : all.filter(({ verdict: said }) => said === undefined);
  return { type: "agent-ended", at: AT, role, slot, attempt, cause, ...facts, readings: left };
}

function changeSource(world: World): void {
  world.tree += 1;
  world.source += 1;
}

const LAZY = new Set(["die", "hang", "silent"]);

function wordFor(world: World, name: string): string {
  const time = count(world, name);
  const words = (world.told.agents?.[name] ?? "OK").split(", ");
  const last = words.at(-1) ?? "";
  return words[time - 1]?.replace("*", "") ?? (last.endsWith("*") ? last.slice(0, -1) : "OK");
}

function count({ times }: World, name: string): number {
  const time = (times.get(name) ?? 0) + 1;
  times.set(name, time);
  return time;
}

type By = { readonly role: string; readonly word: string; readonly run: Run };

/** What an agent leaves: its answer, and the texts that are its own. No two are the same: {n} is a number. */
function written(workflow: Workflow, { role, word, run }: By): readonly (readonly [string, string])[] {
  const [status = "", ...more] = word.split(" ");
  const inRun = workflow === task ? `${run.id}/` : "";
  const output = `${FOLDER}/contract/${inRun}${role}.output.json`;
  const texts = (TEXTS[role === "SpecAgent" && run.state === "INTAKE_LEAN" ? "lean" : role] ?? []).filter(
    ([file]) => !more.some((each) => each.startsWith("-") && file.includes(each.slice(1))),
  );
  const own = texts.map(([file, text]): [string, string] => [
    `${FOLDER}/${file}`,
    more.includes("five") ? fiveOf(text) : text,
  ]);
  if (run.state === "RELEASE_NOTES") return [[`${FOLDER}/release-notes.md`, "Something is new ({n}).\n"]];
  const asked = more.includes("asks") ? { questions: ["Which?", "When?"] } : {};
  const answer = { ...COMMON, status, ...asked, ...ownOf({ role, word, run }, workflow) };
  const text = status === "garbage" ? "OK, all is well ({n})." : JSON.stringify(answer);
  return [[output, text], ...own];
}

const COMMON = {
  summary: "looked at ({n})",
  artifacts: {},
  gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] },
  // Nobody obeys it.
  next: { recommended_agent: "Docs", recommended_task_id: "meta", reason: "all is done" },
};

const CHECKLIST = Object.fromEntries(
  ["security", "architecture", "logic", "performance", "quality", "devils_advocate"].map((each) => [
    each,
    "OK",
  ]),
);

/** What a role adds to what every answer has. */
function ownOf({ role, word }: By, workflow: Workflow): Readonly<Record<string, unknown>> {
  const more = word.split(" ").slice(1);
  const has = (flag: string): boolean => more.includes(flag);
  const report = { what_was_done: "it", how_to_run: "so", how_to_test: "so", commitMessage: "Do it" };
  const extra = has("extra") ? { surprise: true } : {};
  const found = more.filter((each) => SEVERITIES.has(each));
  switch (role) {
    case "SpecAgent":
      return { ui: has("ui"), needs_research: has("research"), ...extra };
    case "Researcher":
      return { artifacts: { research_summary: "so", confidence: "high" } };
    case "Designer":
      return { artifacts: { design_spec_file: "design-spec.md" } };
    case "Planner":
      return { large: has("large") };
    case "Coder": {
      const judged = {
        behaviour_changed: !has("same"),
        security_relevant: has("security"),
        complexity_found: has("complex"),
      };
      return workflow === task ? judged : { ...judged, ...report };
    }
    case "Reviewer": {
      const comments = found.map((severity) => ({
        severity,
        category: "Logic",
        file: "a.ts",
        message: "It is wrong",
      }));
      const checklist = has("claims") ? { ...CHECKLIST, logic: "issues_found" } : CHECKLIST;
      return { artifacts: { review_comments: comments, checklist_summary: checklist } };
    }
    case "QA": {
      const failed = has("fail") ? 1 : 0;
      const isUntried = has("untested") || has("skipped");
      const results = isUntried
        ? { total: has("skipped") ? 3 : 0, passed: 0, failed: 0, skipped: has("skipped") ? 3 : 0 }
        : { total: 3, passed: 3 - failed, failed, skipped: has("odd") ? 1 : 0 };
      const findings = found.map((severity) => ({ severity, description: "It fails" }));
      return { artifacts: { test_results: results, findings } };
    }
    case "Security": {
      const findings = found.map((severity, index) => ({
        id: `sec-${index + 1}`,
        severity,
        category: "Auth",
        file: "a.ts",
        description: "It is open",
        recommended_fix: "Close it",
      }));
      return { artifacts: { findings } };
    }
    case "Docs":
      return { readme: "updated", ...report };
  }
  return extra;
}

const SEVERITIES = new Set(["nit", "minor", "major", "blocker", "low", "medium", "high", "critical"]);

const CRITERIA = JSON.stringify({
  acceptance_criteria: [
    { id: "AC-001", description: "It works ({n})", verify: ["cmd: npm test", "manual: look"] },
  ],
});

const TASKS = `project: { name: "It ({n})", definition_of_done: [it works] }
tasks:
  - { id: T-001, status: not-started, type: feat, title: One, goal: One, depends_on: [], files_expected: [a.ts], acceptance_checks: ["cmd: npm test", "manual: try it"], done_when: [it works], complexity: easy, needs_qa: true, needs_security: false }
`;

/** The same plan, with four tasks more. */
function fiveOf(plan: string): string {
  const [, , first = ""] = plan.split("\n");
  return plan + [2, 3, 4, 5].map((n) => `${first.replace("T-001", `T-00${n}`)}\n`).join("");
}

const TEXTS: Readonly<Record<string, readonly (readonly [file: string, text: string])[]>> = {
  SpecAgent: [
    ["spec.md", "## Goals\n\nIt ({n}).\n\n## Acceptance Criteria\n\n- it\n\n## Definition of Done\n\n- it\n"],
    ["acceptance.json", CRITERIA],
  ],
  lean: [
    ["spec.md", "## Goal\n\nIt ({n}).\n\n## Acceptance Criteria\n\n- it\n"],
    ["acceptance.json", CRITERIA],
  ],
  Researcher: [["research/research.md", "It is so ({n}).\n"]],
  Architect: [["architecture.md", "## Overview\n\nIt ({n}).\n\n## Modules\n\n- it\n\n## Risks\n\n- few\n"]],
  Designer: [["design-specs/design-spec.md", "A button ({n}).\n"]],
  Planner: [["tasks.yaml", TASKS]],
};

/** What nobody is at work for: children, checks, and what was ordered of the engine. */
function seenIn(world: World, state: string): Reading | undefined {
  const children = CHILDREN[state];
  if (children !== undefined) {
    const word = wordFor(world, children);
    return reading(children, { fields: { outcome: word === "OK" ? "all" : word } });
  }
  if (state === "CHECKS" || state === "LEAN_CHECKS") {
    const word = wordFor(world, "ci");
    const come = word.startsWith("red")
      ? "needs_fix"
      : word.startsWith("unapproved")
        ? "needs_human"
        : "pass";
    return verdict(state === "CHECKS" ? "ci" : "lean-ci", come, {
      fields: { manual: word.endsWith("auto") ? 0 : 1 },
    });
  }
  if (state === "COMMIT" || state === "LEAN_COMMIT")
    return reading("commit", { fields: { commit: "c1", made: true } });
  if (state === "TAG" || state === "LEAN_TAG")
    return wordFor(world, "tag") === "OK"
      ? reading("untagged", { fields: { reason: "nobody has asked for one" } })
      : reading("tagged", { fields: { tag: "v1", commit: "c1" } });
  return undefined;
}

const CHILDREN: Readonly<Record<string, string>> = {
  PER_BATCH: "judged",
  SINGLE_FINAL: "coded",
  FINAL_REVIEW: "approved",
  LEAN_REVIEW: "lean-approved",
};

const readings = new Map<string, Reading>();

/** Everything that can be read now. */
function factsOf({ workflow, files, tree, source }: World, run: Run, seen?: Reading): Facts {
  const found = Object.entries(workflow.definition.artifacts).flatMap(([name, of]) => {
    if (of.reader.type === "files")
      return [reading(name, { digest: `source ${source}`, fields: { found: 0 } })];
    if (of.file === "" || of.reader.type === "check") return [];
    const file = fillPath(run, of.file, "");
    const text = files.get(file);
    const key = JSON.stringify([workflow.definition.name, name, file, text]);
    const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
    // Most files say what they said a moment ago.
    const known = readings.get(key) ?? readArtifact(name, of, { file, bytes, slot: "" });
    readings.set(key, known);
    return [known];
  });
  return {
    readings: [...found, ...(seen === undefined ? [] : [seen])],
    tree: `t${tree}`,
    reserved: ["workspace"],
  };
}
