/** A run whose checks are listed by an agent: what is launched, what people say to it, and how it goes on. */

import type { Workflow } from "../../src/core/model/compile.ts";
import type { Run } from "../../src/core/model/run.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { checkOver } from "../../src/engine/checks/check.ts";
import type { Launch } from "../../src/engine/ports/process.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { dispatching, type Scene } from "./dispatch.ts";
import { HUMAN } from "./play.ts";

const FILE = `$schema: workflow-1.schema.json
name: vouched
title: Commands of an agent
params: { own: { text: "" } }
counters: { tries: { max: 3 }, wrong: { max: 5 } }
artifacts:
  criteria: { in: criteria.json, json: true, lists: { checks: { from: criteria, each: verify } }, by: [worker, engine] }
  tests: { check: { commands: $own, from: criteria.checks }, fresh: checking }
roles: { worker: {} }
states:
  writing: { enter: [start worker] }
  asking: { ask: agree }
  checking: { enter: [run tests] }
  red: { final: failed }
  done: { final: done }
moves:
  - { from: start, to: writing, by: human, reserve: place }
  - { from: writing, to: asking, by: engine, need: criteria, do: [stop worker] }
  - { from: writing, to: red, by: engine, when: { tries: spent } }
  - { from: checking, to: done, by: engine, when: { tests: pass } }
  - { from: checking, to: red, by: engine, when: { tests: needs_fix } }
  - { from: checking, to: asking, by: engine, when: { tests: needs_human } }
ends:
  - { role: worker, in: writing, else: { count: tries, do: [start worker] } }
asks:
  agree:
    question: q
    shows: criteria
    reask: wrong
    options:
      run: { to: checking, vouch: criteria }
      skip: { to: checking }
      again: { routes: { all: { to: writing } }, vouch: criteria }
`;

/** Its list, and whose word counts about it. */
export function listedBy(authors: string): Workflow {
  return parsed(FILE.replace("by: [worker, engine]", `by: ${authors}`));
}

function parsed(text: string): Workflow {
  const prompt = (name: string) => ({ file: `prompts/${name}.md`, text: "x" });
  const prompts = { worker: prompt("worker"), q: prompt("q") };
  const read = parseWorkflow({ file: "workflow.yaml", bytes: new TextEncoder().encode(text), prompts });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.workflow;
}

export const workflow = parsed(FILE);

export type Play = Pick<Scene, "works" | "store" | "repo"> & {
  readonly run: () => Promise<Run>;
  readonly ask: Scene["ask"];
  readonly work: () => Promise<string[]>;
  readonly repeat: (deed: string) => Promise<void>;
  /** The commands of every check that was started, in their order. */
  readonly launched: () => readonly (readonly string[])[];
  readonly list: (...verify: readonly string[]) => void;
  readonly say: (answer: string, shown?: string) => Promise<string>;
  readonly over: (code: number) => Promise<void>;
  /** Why the last check was not run. */
  readonly why: () => Promise<string>;
};

type With = {
  /** Of the settings. */
  readonly checks?: Readonly<Record<string, string>>;
  /** The command that the person who began it has set. */
  readonly own?: string;
  readonly definition?: Workflow;
};

export async function played(
  verify: readonly string[],
  act: (play: Play) => Promise<void>,
  { checks = {}, own = "", definition = workflow }: With = {},
): Promise<void> {
  const started: Launch[] = [];
  const harness = {
    name: "script",
    driver: "command",
    program: ["agent", "{prompt}"],
    arguments: [],
    model: "",
    effort: "",
    folders: [],
    files: [],
    mcp: false,
    stays: false,
    env: [],
    set: {},
    stdin: false,
  };
  const more: object = {
    notifier: { ask: () => Promise.resolve() },
    processes: {
      launch: (launch: Launch) => {
        if (launch.id.includes(".check.")) started.push(launch);
        return Promise.resolve({ type: "starting" });
      },
      probe: () => ({ type: "absent" }),
      kill: () => Promise.resolve({ type: "absent" }),
      hasTerminals: () => false,
    },
    settings: () =>
      Promise.resolve({
        workspace: { message: "{goal}" },
        harness: () => harness,
        harnesses: [],
        sandbox: "off",
        env: [],
        checks,
        minutes: 1,
        stallMinutes: 1,
      }),
  };
  await dispatching(
    definition,
    async (scene) => {
      const list = (...texts: readonly string[]): void =>
        scene.put({ "criteria.json": JSON.stringify({ criteria: [{ verify: texts }] }) });
      await scene.begin({ own });
      await scene.work();
      list(...verify);
      await scene.end("worker");
      await scene.work();
      await act({
        ...scene,
        ...doings(scene),
        list,
        launched: () => started.map(({ argv }) => argv.slice(4)),
      });
    },
    more,
  );
}

function doings(scene: Scene): Pick<Play, "say" | "over" | "why"> {
  const { works, store } = scene;
  return {
    say: async (answer, given) => {
      const shown = given ?? shownBy(workflow, await scene.run(), "agree");
      const said = await submit(works, {
        run: "r1",
        by: HUMAN,
        event: ({ at }) => ({ type: "answered", by: HUMAN, at, ask: "agree", answer, shown }),
      });
      await scene.work();
      return said.type === "refused" ? said.refusal.code : said.type;
    },
    over: async (code) => {
      const job = (await store.jobs({ run: "r1", status: "live" })).find(({ kind }) => kind === "check");
      if (job === undefined) throw new Error("nothing is checked");
      await checkOver(works, job, { type: "ended", code });
    },
    why: async () => (await store.notes("r1")).findLast(({ kind }) => kind === "check")?.text ?? "",
  };
}
