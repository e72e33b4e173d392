/**
 * No source selects behaviour by the name of a workflow, a state or a command: it cannot, where it does not contain the name.
 *
 * Names of the built-in workflows that a source has as a whole text are listed with what the word means there. A new one is refused: either
 * the source knows a workflow, or the word means something else and gets its row. With `test/core/verbs-of-workflows.test.ts`, which
 * walks through copies in which every name is another one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { expect, test } from "vitest";
import { loadWorkflow } from "./support/workflows.ts";

const root = join(import.meta.dirname, "..");

const OF_SIGNALBOX = "a command of Signalbox that a workflow offers under the same word";

const MEANS: Readonly<Record<string, string>> = {
  "0": "a number",
  COMMIT: "SQL",
  approved: "a status of a task in the journal of orchestrated runs",
  archive: "an effect that a definition orders",
  archived: "a fact that a workflow waits for",
  attach: OF_SIGNALBOX,
  cancel: OF_SIGNALBOX,
  cancelled: "a kind of end",
  change: "what a path is filled with",
  changed: "a row of the board",
  complete: OF_SIGNALBOX,
  completed: "a status of a stage",
  create: OF_SIGNALBOX,
  delete: OF_SIGNALBOX,
  done: "a kind of end",
  dropped: "a status of an output of a stage",
  failed: "a kind of end",
  fix: "a key of a phase",
  halted: "a kind of note",
  implemented: "a status of a task in a list",
  list: OF_SIGNALBOX,
  merge: OF_SIGNALBOX,
  merging: "a folder in the state home",
  opening: "a connection of the page",
  pending: "a status of an effect",
  plan: "an option that runs begin with",
  rejected: "a verdict in words",
  released: "a status of a workspace",
  respawn: OF_SIGNALBOX,
  review: "a kind of phase",
  show: OF_SIGNALBOX,
  start: "where every run begins",
  stuck: "a key of a phase, and a kind of run in lists",
  task: "a parameter of children",
  tested: "a key of an artifact",
  testing: "a layer of tasks",
  update: OF_SIGNALBOX,
};

test("the sources have only those names of workflows, states, stages and commands that mean something else there", () => {
  const names = new Set(readdirSync(join(root, "workflows")).flatMap(namesOf));
  expect(names.size).toBeGreaterThan(100);
  const said = textsIn(join(root, "src"));
  expect([...names].filter((name) => said.has(name)).toSorted()).toEqual(Object.keys(MEANS).toSorted());
});

function namesOf(workflow: string): readonly string[] {
  const { name, states, commands, stages } = loadWorkflow(workflow).definition;
  const stageNames = (stages ?? []).map((stage) => stage.name);
  return [name, ...Object.keys(states), ...Object.keys(commands ?? {}), ...stageNames];
}

/** Every text in these sources, also as the name of a key. */
function textsIn(folder: string): ReadonlySet<string> {
  const texts = new Set<string>();
  const visitor = new Visitor({
    Literal: ({ value }) => void (typeof value === "string" && texts.add(value)),
    TemplateElement: ({ value }) => void texts.add(value.raw),
  });
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(path)) continue;
    visitor.visit(parseSync(path, readFileSync(join(folder, path), "utf8")).program);
  }
  return texts;
}
