/**
 * Lives of the workflow `change` without a process: files and the tree are values, what agents write is read by the real readers, and `step`
 * decides.
 *
 * What happens is told by who does it, a word for each time: `{ challenger: "NEEDS_REVISION h m, APPROVED", tests: "red, ok" }`; after the last one
 * all is well, and a star means: from then on always. A review is its verdict and its issues: `h`, `m`, `l`, `x` for a severity that there is
 * not; `t` is a failed test, `n` numbers that do not add up, `+` a change of the files that tasks name, `~` of others, `%FILE` of a document
 * of the plan. What people do is told in one list: an answer, `to STATE`, `edit FILE`, `put back FILE`, `take ARTIFACT` or `start ROLE`.
 */

import { fillPath } from "../../src/core/text/fill-path.ts";
import { ownArtifact } from "../../src/core/gates/shape-of-run.ts";
import type { Event, Facts, Incoming, Reading } from "../../src/core/model/event.ts";
import { NO_RUN, slotKey, type Agent, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { AT, HUMAN, reading, start, verdict } from "./play.ts";
import { loadWorkflow } from "./workflows.ts";

export const change = loadWorkflow("change");

export type Told = {
  readonly agents?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, Literal>>;
  /** In this order, wherever it waits; or by the run. After the last one it stays where it is. */
  readonly people?: readonly string[] | ((run: Run) => string | undefined);
};

export type Lived = {
  readonly run: Run;
  readonly phase: string;
  readonly events: readonly Event[];
  /** The states it came through; `!role` is somebody who was called once more in the same one, `?role` somebody who was not, `refused ACT` what a person could not do. */
  readonly way: readonly string[];
  /** Who was called, in this order. */
  readonly called: readonly string[];
  /** What a person answered for, in this order. */
  readonly waived: readonly string[];
};

type World = {
  readonly told: Told;
  readonly files: Map<string, string>;
  readonly times: Map<string, number>;
  /** What documents said before somebody wrote over them. */
  readonly before: Map<string, string>;
  tree: number;
  work: number;
};

const STEPS_MAX = 2000;
const FOLDER = "changes/x";

/** Lives until it is over, or waits for somebody who does nothing more. */
export function live(told: Told): Lived {
  const world: World = { told, files: new Map(), times: new Map(), before: new Map(), tree: 1, work: 1 };
  const people = typeof told.people === "function" ? told.people : oneByOne(told.people ?? []);
  const [way, called, waived]: [string[], string[], string[]] = [[], [], []];
  const events: Event[] = [];
  const params = { change: "x", ...told.params };
  let run = NO_RUN;
  let event: Incoming | undefined = start(change, undefined, { params, reserved: ["place"] });
  for (let steps = 0; event !== undefined; steps += 1) {
    const after = step(change, run, event);
    if (steps > STEPS_MAX) throw new Error(`it does not end: ${way.slice(-50).join(" ")}`);
    if (!after.ok) {
      const done =
        event.type === "move-asked"
          ? `to ${event.to}`
          : event.type === "respawn-asked"
            ? `start ${event.role}`
            : event.type;
      way.push(`refused ${event.type === "answered" ? event.answer : done}`);
    } else {
      events.push(...after.events);
      for (const each of after.events) {
        if (each.type === "moved") way.push(each.to);
        if (each.type === "agent-crashed") way.push(`?${each.role}`);
        if (each.type === "waiver-given") waived.push(each.artifact);
      }
      for (const effect of after.effects) {
        if (effect.type === "archive-artifacts") takeAway(world, after.run, effect.artifacts);
        if (effect.type !== "start-agent") continue;
        called.push(slotKey(effect.role, effect.slot));
        if (after.run.entry === run.entry && effect.role !== "spec-writer") way.push(`!${effect.role}`);
      }
      run = after.run;
    }
    event = nextOf(world, run, people);
  }
  const phase = change.definition.states[run.state]?.phase ?? "";
  return { run, phase, events, way, called, waived };
}

function oneByOne(words: readonly string[]): () => string | undefined {
  const left = [...words];
  return () => left.shift();
}

/** What a person does, as an event. */
export function act(run: Run, word: string): Incoming {
  if (word.startsWith("to "))
    return { type: "move-asked", by: HUMAN, at: AT, to: word.slice(3), reserved: ["place"] };
  if (word.startsWith("start ")) return { type: "respawn-asked", by: HUMAN, at: AT, role: word.slice(6) };
  const ask = run.question?.ask ?? "";
  return {
    type: "answered",
    by: HUMAN,
    at: AT,
    ask,
    answer: word,
    text: "",
    shown: shownBy(change, run, ask),
  };
}

function nextOf(world: World, run: Run, people: (run: Run) => string | undefined): Incoming | undefined {
  const busy = Object.values(run.agents).find(({ status }) => status === "called" || status === "alive");
  if (busy !== undefined) return endOf(world, run, busy);
  const seen = seenIn(world, run.state);
  if (seen !== undefined) return { type: "observed", at: AT, ...factsOf(world, run, seen) };
  const word = people(run);
  if (word === undefined) return undefined;
  if (word.startsWith("take ")) {
    const taken = factsOf(world, run).readings?.filter(({ artifact }) => artifact === word.slice(5));
    return { type: "submitted", by: HUMAN, at: AT, readings: taken ?? [] };
  }
  if (word.startsWith("put back ")) {
    const file = `${FOLDER}/${word.slice(9)}`;
    world.files.set(file, world.before.get(file) ?? "");
    return { type: "observed", at: AT, ...factsOf(world, run) };
  }
  if (!word.startsWith("edit "))
    return { ...act(run, word), ...(word.startsWith("to ") ? factsOf(world, run) : {}) };
  const file = `${FOLDER}/${word.slice(5)}`;
  if (word === "edit work") changeWork(world);
  else
    world.files.set(file, `${world.files.get(file) ?? ""}\nAnd one thing more (${count(world, "texts")}).\n`);
  return { type: "observed", at: AT, ...factsOf(world, run) };
}

/** Whoever is at work writes something, or does not, and ends. */
function endOf(world: World, run: Run, { role, slot, attempt }: Agent): Incoming {
  const word = wordFor(world, slot === "" ? role : `${role}.${slot}`, role);
  const cause = word === "hang" ? "timed-out" : word === "die" ? "killed" : "exited";
  if (!LAZY.has(word)) {
    const number = `${count(world, "texts")}`;
    for (const [file, text] of written({ role, slot, word }))
      world.files.set(`${FOLDER}/${file}`, text.replaceAll("{n}", number));
    if (role === "fixer" || word.includes("+")) changeWork(world);
    if (word.includes("~")) world.tree += 1;
    for (const [, name = ""] of word.matchAll(/%(\S+)/g)) {
      const file = `${FOLDER}/${name}`;
      const text = world.files.get(file) ?? "";
      world.before.set(file, text);
      world.files.set(file, `${text}\nRewritten by ${role} (${number}).\n`);
    }
  }
  const { readings: all = [], ...facts } = factsOf(world, run);
  // As the engine has it: a verdict of somebody who was ended counts for nothing.
  const left = cause === "exited" ? all : all.filter(({ verdict: said }) => said === undefined);
  return { type: "agent-ended", at: AT, role, slot, attempt, cause, ...facts, readings: left };
}

/** Of those that have a file for each member. */
function takeAway({ files }: World, run: Run, artifacts: readonly string[]): void {
  for (const name of artifacts)
    for (const slot of Object.keys(run.slots[name] ?? {}))
      files.delete(fillPath(run, change.definition.artifacts[name]?.file ?? "", slot));
}

function changeWork(world: World): void {
  world.tree += 1;
  world.work += 1;
}

const LAZY = new Set(["die", "hang", "silent"]);

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

type By = { readonly role: string; readonly slot: string; readonly word: string };

/** What an agent leaves. No two texts are the same, for what says the same as before is not new: {n} is a number. */
function written({ role, slot, word }: By): readonly (readonly [string, string])[] {
  switch (role) {
    case "planner":
      return [["proposal.md", word === "ok" ? PROPOSAL : word]];
    case "spec-writer":
      return [[`specs/${slot}.md`, word === "ok" ? spec("first") : word]];
    case "task-writer":
      return [["tasks.md", word === "ok" ? TASKS : word]];
    case "reviser":
      return [["specs/b.md", spec("revised")]];
    case "challenger":
      return [["challenge.json", review(word)]];
    case "reviewer":
      return [["review.json", review(word)]];
    case "merge-reviewer":
      return [["merge-review.json", review(word)]];
    case "archiver":
      return [[`merged/${slot}.md`, word === "ok" ? spec("merged") : word === "same" ? SAME : word]];
    case "fixer":
      return [];
  }
  throw new Error(`nobody knows what ${role} writes`);
}

const PROPOSAL = `---
affected_specs: [{ id: b, depends: [a] }, { id: a }]
---

## Summary

Something is different ({n}).

## Why

Today it is not as it should be, and people have said so.

## What Changes

- it

## Impact

none
`;

const TASKS = "## 1. Data Layer\n\n- [ ] 1.1 Do it ({n})\n  - File: src/a.sh (CREATE)\n  - Spec: a#R1\n";

function spec(word: string): string {
  return `## Overview\n\nThis is what it does, and for whom it does that: ${word} ({n}).\n\n## Requirements\n\n### R1: It does it\n\nIt must.\n\n## Acceptance Criteria\n\n### Scenario: It\n\n- **WHEN** somebody asks\n- **THEN** it does it\n`;
}

const SAME = spec("as before").replaceAll("{n}", "");

const SEVERITY: Readonly<Record<string, string>> = { h: "HIGH", m: "MEDIUM", l: "LOW", x: "SPICY" };

function review(word: string): string {
  const [said = "", ...more] = word.split(" ");
  const issues = more.flatMap((letter) => {
    const severity = SEVERITY[letter];
    return severity === undefined ? [] : [{ severity, title: "It", description: "is not good enough" }];
  });
  const failed = more.includes("t") ? 1 : 0;
  const results = { total: more.includes("n") ? 9 : 3, passed: 3 - failed, failed };
  const isAboutTests = more.includes("t") || more.includes("n");
  if (said === "garbage") return "I like it; it is not approved yet ({n}).";
  return JSON.stringify({
    verdict: said === "ok" ? "APPROVED" : said,
    summary: "looked at ({n})",
    issues,
    ...(isAboutTests ? { test_results: results } : {}),
  });
}

/** What nobody is at work for: tasks, tests, and what was ordered of the engine. */
function seenIn(world: World, state: string): Reading | undefined {
  switch (state) {
    case "basing":
    case "rebasing":
      return reading("base", { fields: { base: "{}" } });
    case "implement": {
      const word = wordFor(world, "tasks");
      return reading("done", { fields: { outcome: word === "ok" ? "all" : word } });
    }
    case "testing":
      return verdict("tests", wordFor(world, "tests") === "ok" ? "pass" : "needs_fix");
    case "archiving": {
      if (wordFor(world, "archive") === "ok")
        return reading("archived", { fields: { folder: "archive/20261116-x" } });
      const why = { reason: "it is another one", file: "specs/a.md", base: "1", now: "2" };
      return reading("unarchived", { fields: why });
    }
  }
  return undefined;
}

const readings = new Map<string, Reading>();

/** Everything that can be read now. */
function factsOf({ files, tree, work }: World, run: Run, seen?: Reading): Facts {
  const read = (name: string, slot: string): Reading => {
    const of = change.definition.artifacts[name];
    if (of === undefined) throw new Error(`there is no ${name}`);
    const file = fillPath(run, of.file, slot);
    const text = files.get(file);
    const key = JSON.stringify([name, slot, text]);
    const bytes = text === undefined ? undefined : new TextEncoder().encode(text);
    // Most files say what they said a moment ago.
    const known = readings.get(key) ?? readArtifact(name, ownArtifact(run.params, of), { file, bytes, slot });
    readings.set(key, known);
    return known;
  };
  const specs = (run.held["proposal"]?.reading ?? read("proposal", "")).lists["specs"] ?? [];
  const found = Object.entries(change.definition.artifacts).flatMap(([name, of]) => {
    if (of.reader.type === "files") return [reading(name, { digest: `work ${work}` })];
    if (of.file === "" || of.reader.type === "check") return [];
    if (of.every !== undefined)
      return [
        together(
          name,
          specs.map((slot) => read(name, slot)),
        ),
      ];
    const slots = of.each === undefined ? [""] : Object.keys(run.slots[name] ?? {});
    return slots.map((slot) => read(name, slot));
  });
  return {
    readings: [...found, ...(seen === undefined ? [] : [seen])],
    tree: `t${tree}`,
    reserved: ["place"],
  };
}

function together(artifact: string, parts: readonly Reading[]): Reading {
  const found = parts.some((part) => part.found);
  const at = { file: "proposal", line: 1, col: 1 };
  return {
    artifact,
    slot: "",
    found,
    digest: found ? parts.map(({ digest }) => digest).join(" ") : "",
    faults: parts.length > 0 ? parts.flatMap((part) => part.faults) : [{ at, reason: "no specs yet" }],
    fields: {},
    lists: {},
  };
}
