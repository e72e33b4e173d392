/**
 * Lives of the workflow `staged` without a process: files and the tree are values, what agents write is read by the real readers, and
 * `step` decides.
 *
 * What happens is told by who does it, a word for each time, as in test/e2e/staged: `{ "plan-reviewer": "fix, ok", "3.1": "red-test" }`. A star:
 * from then on always.
 */

import type { Event, Facts, Incoming, Reading } from "../../src/core/model/event.ts";
import { NO_RUN, slotKey, type Agent, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import type { Artifact } from "../../src/core/model/artifact.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { AT, HUMAN, reading, start, verdict } from "./play.ts";
import { loadWorkflow } from "./workflows.ts";

export const staged = loadWorkflow("staged");

export type Told = {
  readonly agents?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, Literal>>;
  /** To the questions, in their order, or by the run that asks. After the last one it stays where it is. */
  readonly answers?: readonly string[] | ((run: Run) => string | undefined);
  /** The state in which it begins. */
  readonly to?: string;
  /** It is looked at no further from there on. */
  readonly until?: readonly string[];
};

export type Lived = {
  readonly run: Run;
  readonly events: readonly Event[];
  /** The states it came through, and who was called once more in the same one, as `!role`. */
  readonly way: readonly string[];
  /** Who was called, in this order. */
  readonly called: readonly string[];
  readonly archived: readonly string[];
  /** What a person answered for, in this order. */
  readonly waived: readonly string[];
};

type World = {
  readonly told: Told;
  readonly files: Map<string, string>;
  readonly times: Map<string, number>;
  tree: number;
};

const STEPS_MAX = 2000;

/** Lives until it is over, asks something that nobody answers, or is committed. */
export function live(told: Told): Lived {
  const world: World = { told, files: new Map(), times: new Map(), tree: 1 };
  const answers = typeof told.answers === "function" ? told.answers : oneByOne(told.answers ?? []);
  const [way, called, archived, waived]: [string[], string[], string[], string[]] = [[], [], [], []];
  const events: Event[] = [];
  let run = NO_RUN;
  let event: Incoming | undefined = start(staged, told.to, { params: { ...told.params } });
  for (let steps = 0; event !== undefined; steps += 1) {
    const after = step(staged, run, event);
    if (!after.ok) throw new Error(`${run.state}: ${after.refusal.message}; ${way.join(" ")}`);
    if (steps > STEPS_MAX) throw new Error(`it does not end: ${way.slice(-50).join(" ")}`);
    const hasMoved = after.run.entry > run.entry;
    events.push(...after.events);
    for (const each of after.events) {
      if (each.type === "moved") way.push(each.to);
      if (each.type === "waiver-given") waived.push(each.artifact);
    }
    for (const effect of after.effects) {
      if (effect.type === "start-agent") {
        called.push(slotKey(effect.role, effect.slot));
        if (!hasMoved) way.push(`!${effect.role}`);
      }
      if (effect.type !== "archive-artifacts") continue;
      archived.push(...effect.artifacts);
      for (const name of effect.artifacts) forget(world, run, name);
    }
    run = after.run;
    if (told.until?.includes(run.state) === true) break;
    event = nextOf(world, run, answers);
  }
  return { run, events, way, called, archived, waived };
}

function oneByOne(words: readonly string[]): () => string | undefined {
  const left = [...words];
  return () => left.shift();
}

/** A person's answer to the question that is open. */
export function answered(run: Run, answer: string): Incoming {
  const ask = run.question?.ask ?? "";
  return { type: "answered", by: HUMAN, at: AT, ask, answer, text: "", shown: shownBy(staged, run, ask) };
}

function nextOf(world: World, run: Run, answers: (run: Run) => string | undefined): Incoming | undefined {
  if (run.question !== undefined) {
    const answer = answers(run);
    return answer === undefined ? undefined : answered(run, answer);
  }
  const busy = Object.values(run.agents).find(({ status }) => status === "called" || status === "alive");
  if (busy !== undefined) return endOf(world, run, busy);
  const seen = seenIn(world, run.state);
  return seen === undefined ? undefined : { type: "observed", at: AT, ...factsOf(world, run, seen) };
}

/** Whoever is at work writes something, or does not, and ends. */
function endOf(world: World, run: Run, { role, slot, attempt }: Agent): Incoming {
  const word = wordFor(world, slot === "" ? role : `${role}.${slot}`, role);
  const cause = word === "hang" ? "timed-out" : word === "die" ? "killed" : "exited";
  if (word !== "hang" && word !== "die" && word !== "silent")
    for (const [file, text] of written(run, { role, slot, word })) {
      const number = count(world, "texts");
      if (text === "tree") world.tree += 1;
      else world.files.set(file, text.replaceAll("{n}", `${number}`).replaceAll("{s}", " ".repeat(number)));
    }
  const { readings: all = [], ...facts } = factsOf(world, run);
  // As the engine has it: a verdict of somebody who was ended counts for nothing.
  const left = cause === "exited" ? all : all.filter(({ verdict: said }) => said === undefined);
  return { type: "agent-ended", at: AT, role, slot, attempt, cause, readings: left, ...facts };
}

function wordFor(world: World, name: string, role = name): string {
  const time = count(world, name);
  const words = (world.told.agents?.[name] ?? world.told.agents?.[role] ?? "ok").split(", ");
  const last = words.at(-1) ?? "";
  return words[time - 1]?.replace("*", "") ?? (last.endsWith("*") ? last.slice(0, -1) : "ok");
}

function count({ times }: World, name: string): number {
  const time = (times.get(name) ?? 0) + 1;
  times.set(name, time);
  return time;
}

const PHASES = ".agents/tmp/phases";
const PLAN = `### Task 1: One\n\nFiles: a.sh\nDependencies: none\nComplexity: easy\nInstructions: all of it ({n})\n`;

type By = { readonly role: string; readonly slot: string; readonly word: string };

/**
 * What an agent leaves: files with their texts; `tree` is a change of the work. No two texts are the same, for what says the same as before
 * is not new: {n} is a number, {s} are spaces.
 */
function written({ state }: Run, { role, slot, word }: By): readonly (readonly [string, string])[] {
  const file = (name: string, text: string): [string, string] => [`${PHASES}/${name}`, text];
  const tree = ["", "tree"] as const;
  switch (role) {
    case "scout":
      return [file("0-queries.json", '{"complexity":"medium","queries":["code","tests","docs"]{s}}')];
    case "explorer":
      return [file(`0-explore.${slot}.md`, "found {n}")];
    case "aggregator":
      return [file("0-explore.md", sections("Findings", "Summary", "Gaps"))];
    case "brainstormer":
      return [file("1.1-brainstorm.md", `${sections("Approach")}## Areas\n\n- code\n- tests\n`)];
    case "planner":
      return [file(`1.2-plan.${slot}.md`, "a part {n}")];
    case "plan-merger":
    case "plan-fixer":
      return [file("1.2-plan.md", PLAN)];
    case "plan-reviewer":
      return [file("1.3-plan-review.json", review(word, "", "Task 1"))];
    case "simplifier":
      return [file("2.2-simplify.md", "simpler {n}"), tree];
    case "implementation-reviewer":
      return [file("2.3-impl-review.json", review(word, '"filesReviewed":[],', "src/a.sh:1"))];
    case "implementation-fixer":
    case "coverage-fixer":
    case "final-fixer":
      return [file(`${state}.${slot}.md`, "mended {n}"), tree];
    case "analyst":
      return [file("3.2-analysis.md", sections("Cause", "Fix"))];
    case "test-fixer":
      return [tree];
    case "test-reviewer":
      return [file("3.3-test-review.json", review(word, "", "test/a.test.sh"))];
    case "documenter":
      return [file("4.1-docs.md", "told {n}"), tree];
    case "final-reviewer":
      return [
        file(
          "4.2-final-review.json",
          review(word, '"overallQuality":"high","readyForCommit":true,', "README.md:1"),
        ),
      ];
    case "finisher":
      return [
        file("4.3-completion.json", '{"summary":"{n}","commitMessage":"Do it","title":"It","body":"All"}'),
      ];
    case "summarizer":
      return [[`.agents/tmp/summaries/${state}.md`, sections("Decisions", "Files", "Open")]];
  }
  throw new Error(`nobody knows what ${role} writes`);
}

function sections(...names: readonly string[]): string {
  return names.map((name) => `## ${name}\n\nsomething {n}\n\n`).join("");
}

function review(word: string, more: string, place: string): string {
  const says = (status: string, ...issues: readonly (readonly [string, string])[]): string => {
    const list = issues.map(([severity, location]) => ({ severity, location, issue: "not good enough" }));
    return `{"status":"${status}","summary":"{n}",${more}"issues":${JSON.stringify(list)}}`;
  };
  switch (word) {
    case "ok":
      return says("approved");
    case "fix":
      return says("needs_revision", ["HIGH", place]);
    case "three":
      return says("needs_revision", ["HIGH", "src/a.sh:1"], ["LOW", "src/b.sh:2"], ["MEDIUM", "test/c.sh"]);
    case "blocked":
      return says("blocked", ["HIGH", place]);
    case "high":
      return says("approved", ["HIGH", place]);
    case "medium":
      return says("approved", ["MEDIUM", place]);
    case "low":
      return says("approved", ["LOW", place]);
    case "odd":
      return says("approved", ["SPICY", place]);
    case "fix-low":
      return says("needs_revision", ["LOW", place]);
    case "same":
      return says("needs_revision", ["HIGH", place]).replace("{n}", "as ever");
    case "empty":
      return says("needs_revision");
    case "empty-blocked":
      return says("blocked");
    case "status":
      return says("fine");
    case "half":
      return says("approved").slice(0, -5);
    case "garbage":
      return "I like it ({n}).";
  }
  throw new Error(`no reviewer does ${word}`);
}

/** What nobody is at work for: checks, the runs of tasks. */
function seenIn(world: World, state: string): Reading | undefined {
  if (state === "2.1")
    return reading("2.1", { fields: { outcome: OUTCOMES[wordFor(world, "2.1")] ?? "all" } });
  const check = state === "3.1" ? "3.1" : state === "4.2-testing" ? "4.2-tests" : undefined;
  if (check === undefined) return undefined;
  const word = wordFor(world, check);
  if (word === "ok") return verdict(check, "pass");
  return verdict(check, "needs_fix", { fields: { failing: word.replace("red-", ""), rule: "thrown" } });
}

const OUTCOMES: Readonly<Record<string, string>> = { some: "some", none: "none" };

type Source = {
  readonly artifact: Artifact;
  readonly file: string;
  readonly slot: string;
  readonly text: string | undefined;
};

const readings = new Map<string, Reading>();

/** Most files say what they said a moment ago. */
function readingOf(name: string, { artifact, file, slot, text }: Source): Reading {
  const key = JSON.stringify([name, slot, text]);
  const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
  const known = readings.get(key) ?? readArtifact(name, artifact, { file, bytes, slot });
  readings.set(key, known);
  return known;
}

/** Everything that can be read now. */
function factsOf({ files, tree }: World, run: Run, seen?: Reading): Facts {
  const found = Object.entries(staged.definition.artifacts).flatMap(([name, artifact]) => {
    if (artifact.file === "" || artifact.reader.type === "check") return [];
    const slots = artifact.each === undefined ? [""] : Object.keys(run.slots[name] ?? {});
    return slots.map((slot) => {
      const file = artifact.file.replace("{slot}", slot);
      return readingOf(name, { artifact, file, slot, text: files.get(file) });
    });
  });
  return { readings: [...found, ...(seen === undefined ? [] : [seen])], tree: `t${tree}` };
}

function forget({ files }: World, run: Run, name: string): void {
  const file = staged.definition.artifacts[name]?.file ?? "";
  for (const slot of ["", ...Object.keys(run.slots[name] ?? {})]) files.delete(file.replace("{slot}", slot));
}
