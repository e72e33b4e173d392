/** Words that a shell can offer where somebody types: names of workflows, runs, projects, questions, and what one workflow takes. */

import { listWorkflows } from "../adapters/library/find.ts";
import { readable, UserError } from "../adapters/user-error.ts";
import { waysFor } from "../core/explain/verbs.ts";
import { targetOf } from "../core/gates/gate.ts";
import type { Definition } from "../core/model/workflow.ts";
import { filtered } from "../engine/lists.ts";
import type { RunRow } from "../engine/ports/journal.ts";
import type { Store } from "../engine/ports/store.ts";
import { demoNames } from "./demo.ts";
import type { Invocation } from "./invocation.ts";
import { isFinished, runMeant, storeOf, workflowOf } from "./runs/find.ts";
import { offOption, valueOptions } from "./start/typed-options.ts";
import { loadWorkflow } from "./workflows/load.ts";

export type Candidate = { readonly word: string; readonly about: string };

/** Which runs: those for which a verb is open, those that are under way, or those that are over. */
export type Offered = "accept" | "send-back" | "retry" | "cancel" | "answer" | "open" | "over";

export type CompletionWords = {
  workflows(): readonly Candidate[];
  /** Workflows that have one. */
  demos(): readonly Candidate[];
  /** Those that `offers` means something for, of one workflow; all without them. */
  runs(offers?: Offered, workflow?: string): Promise<readonly Candidate[]>;
  /** Open questions, and runs that wait for an answer in words. */
  decisions(): Promise<readonly Candidate[]>;
  projects(): Promise<readonly Candidate[]>;
  /** States that a run that was typed can be moved to. */
  states(run: string): Promise<readonly Candidate[]>;
  harnesses(): Promise<readonly Candidate[]>;
  /** Of a workflow that was typed; with the option that disables it, where it can be. */
  stages(workflow: string): Promise<readonly (Candidate & { readonly off: string })[]>;
  /** Options that are a word of one of its parameters. */
  values(workflow: string): Promise<readonly (Candidate & { readonly param: string })[]>;
};

const RUNS_MAX = 100;

export function wordsOf(door: Invocation): CompletionWords {
  // One line asks for several things of one workflow.
  let parsed: ReturnType<typeof definitionOf> | undefined;
  const definition = (name: string): ReturnType<typeof definitionOf> => (parsed ??= definitionOf(name, door));
  const stored = async (read: (store: Store) => Promise<Candidate[]>): Promise<Candidate[]> => {
    const store = await storeOf(door);
    try {
      return store === undefined ? [] : await read(store);
    } finally {
      await store?.close();
    }
  };
  const runs = async (store: Store, offers?: Offered, only?: string): Promise<Candidate[]> => {
    const filter = only === undefined ? {} : { workflow: only };
    const { rows } = await store.list({ ...filter, limit: RUNS_MAX });
    const offered = await filtered(rows, (row) => isOffered(store, row, offers));
    return offered.map(({ id, workflow, state, goal }) => ({
      word: id,
      about: `${workflow}, ${state}: ${goal}`,
    }));
  };
  return {
    workflows: () =>
      listWorkflows(door).map(({ name, from }) => ({
        word: name,
        about: from === "override" ? "of this repository" : "built in",
      })),
    demos: () => demoNames().map((word) => ({ word, about: "" })),
    runs: (offers, only) => stored((store) => runs(store, offers, only)),
    states: (named) =>
      stored(async (store) => {
        const run = await readable(() => runMeant(store, door, named));
        const kept = run === undefined ? undefined : await store.load(run);
        if (kept === undefined) return [];
        const { movesFrom } = await workflowOf(store, kept.row);
        const moves = (movesFrom[kept.run.state] ?? []).filter(({ by }) => by.includes("human"));
        const states = new Set(moves.map((move) => targetOf(kept.run, move)));
        return [...states].map((state) => ({ word: state, about: "" }));
      }),
    harnesses: async () => (await harnessesFor(door)).map((word) => ({ word, about: "" })),
    stages: async (name) =>
      ((await definition(name))?.stages ?? []).map((stage) => ({
        word: stage.name,
        about: "",
        off: offOption(stage),
      })),
    values: async (name) => {
      const known = await definition(name);
      return known === undefined ? [] : valueOptions(known);
    },
    projects: () =>
      stored(async (store) =>
        (await store.projects()).map(({ name, repo }) => ({ word: name, about: repo })),
      ),
    decisions: () =>
      stored(async (store) => [
        ...(await store.questions({ open: true })).map(({ id, run, ask }) => ({
          word: id,
          about: `${ask} of ${run}`,
        })),
        ...(await runs(store, "answer")),
      ]),
  };
}

/** Where the workflow cannot be read, there is nothing to offer. */
async function definitionOf(name: string, door: Invocation): Promise<Definition | undefined> {
  const found = listWorkflows(door).find((each) => each.name === name);
  const loaded = found === undefined ? undefined : await loadWorkflow(found, door);
  return loaded?.ok === true ? loaded.workflow.definition : undefined;
}

async function isOffered(store: Store, row: RunRow, offers: Offered | undefined): Promise<boolean> {
  if (offers === undefined) return true;
  if (offers === "over" || isFinished(row)) return isFinished(row) === (offers === "over");
  const run = offers === "open" ? undefined : (await store.load(row.id))?.run;
  if (offers === "open" || run === undefined) return true;
  const { open } = waysFor({ workflow: await workflowOf(store, row), run }, offers);
  // What holds a run up is tried again, whatever its workflow says.
  return open.length > 0 || (offers === "retry" && (row.halted || row.attention !== ""));
}

async function harnessesFor(door: Invocation): Promise<readonly string[]> {
  const store = await storeOf(door);
  if (store === undefined) return [];
  try {
    const { surveySettings } = await import("../adapters/config/read.ts");
    return (await surveySettings({ repo: door.cwd, env: door.env, store })).settings.harnesses;
  } catch (error) {
    // The command that creates a run says what is wrong with the settings.
    if (error instanceof UserError) return [];
    throw error;
  } finally {
    await store.close();
  }
}
