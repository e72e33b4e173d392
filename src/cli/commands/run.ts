/** `signalbox run`: a run begins, and whoever began it may follow it. */

import { join, sep } from "node:path";
import { requirePerson } from "../../adapters/person/who.ts";
import { requireTrust } from "../../adapters/trust/trust.ts";
import { EXIT_UNTRUSTED } from "../../adapters/trust/content.ts";
import { repositoryOf as treeOf } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import {
  acknowledged,
  acting,
  seeThrough,
  voiceOf,
  type Acting,
  type Done,
  answeredBefore,
} from "../acting.ts";
import { talkOf } from "../acted.ts";
import { beginRun, firstMove } from "../beginning.ts";
import { EXIT_OK, type Answer, type Command, type Door, type Given } from "../command.ts";
import { rememberNames } from "../environment.ts";
import { follow, type Followed } from "../follow.ts";
import { moveTo } from "../moving.ts";
import type { Choice } from "../reading/means.ts";
import { sayReads, type Read } from "../reading/question.ts";
import { columns } from "../say.ts";
import { requireClean } from "../clean.ts";
import { requireWorkflow, type Loaded } from "../workflow.ts";

/** What `--json` gives. */
export type RunData = {
  readonly run: string;
  readonly workflow: string;
  readonly state: string;
  readonly status: string;
  readonly seq: number;
  /** What can be typed now. */
  readonly ways: readonly string[];
  /** The same, with where each leads. */
  readonly choices: readonly Choice[];
  /** What the open question is about. */
  readonly reads: readonly Read[];
};

export const command: Command = {
  usage: "WORKFLOW [GOAL] [--param NAME=VALUE]... [--with ARTIFACT=FILE]... [--detach]",
  about:
    "Begins a run of a workflow for this repository and follows it, until it has ended (exit 0 or 1) or waits for you (exit 3).\nCtrl-C only ends the following: the run goes on. Only people can begin runs.",
  words: { min: 1, max: 2 },
  options: {
    param: {
      takes: "NAME=VALUE",
      about: "a parameter of the workflow; may be given several times",
      many: true,
    },
    with: {
      takes: "ARTIFACT=FILE",
      about: "a text that the run begins with; may be given several times",
      many: true,
    },
    to: { takes: "STATE", about: "begin in this state" },
    branch: { takes: "NAME", about: "the branch that the work is done on" },
    "no-start": { about: "do not ask for the first move" },
    detach: { about: "print its id and do not follow", short: "d" },
    key: { takes: "KEY", about: "the same key twice begins one run" },
  },
  examples: [
    'signalbox run task "Dates in the export are off by one"',
    "signalbox run task --with context=notes.md --detach",
  ],
  answer: async (given, door): Promise<Answer> => {
    const begun = await acting(door, (on) => start(on, given));
    return given.options["detach"] === undefined ? followed(begun, given, door) : detached(begun);
  },
};

type Begun = { readonly done: Done; readonly workflow: string; readonly status: string };

async function start(on: Acting, given: Given): Promise<Begun> {
  const { door, box, who } = on;
  requirePerson(who);
  const [wanted = "", goal = ""] = given.words;
  // Before anything of the repository is read that could make something run.
  const { main } = treeOf(door.cwd);
  requireTrust({ store: box.store, env: door.env }, main);
  const loaded = await requireWorkflow(wanted, door);
  requireTrusted(loaded, main);
  requireClean(box.store, loaded, wanted);
  const { repositoryOf } = await import("../../adapters/git/repository.ts");
  const { path: repo, head: base } = await repositoryOf(door.cwd, door.env);
  const { readSettings } = await import("../../adapters/config/read.ts");
  // Settings that cannot be used are told before anything has begun.
  rememberNames(on.home, await readSettings({ repo, env: door.env, store: box.store }));
  const begun = await beginRun(on, { given, goal, loaded, repo, base });
  const first = acknowledged(begun, begun.id);
  const moved = await goOn(on, given, begun.id);
  const done = moved ?? { ...first, told: await seeThrough(on, begun.id) };
  const { final, waits } = loaded.workflow.definition.states[done.to] ?? { waits: false };
  return { done, workflow: loaded.name, status: final ?? (waits ? "waiting" : "running") };
}

/**
 * Only what a person has trusted runs: built in, or part of the main working tree's `.signalbox`. In a worktree, a workflow may
 * have been written by an agent; a file anywhere else was never shown by `trust`.
 */
function requireTrusted({ found, name }: Extract<Loaded, { ok: true }>, main: string): void {
  const own = join(main, ".signalbox", sep);
  if (found.from === "built-in" || found.folder.startsWith(own)) return;
  throw new UserError(
    "untrusted",
    `the workflow ${name} in ${found.folder} is not part of what was trusted`,
    {
      next:
        found.from === "path" ? `copy it to ${own}workflows/${name}, then: signalbox trust` : `cd ${main}`,
      exit: EXIT_UNTRUSTED,
    },
  );
}

/** To begin a run means to get it going, where one move of a person does that. */
async function goOn(on: Acting, { options }: Given, run: string): Promise<Done | undefined> {
  if (options["to"] !== undefined || options["no-start"] !== undefined) return undefined;
  const { store } = on.box;
  const kept = store.load(run);
  if (kept === undefined) return undefined;
  const key = options["key"] === undefined ? undefined : `${options["key"]}:start`;
  // Whoever begins it a second time gets the answer of the first, wherever the run is by now.
  const isRepeated = answeredBefore(on, run, key) !== undefined;
  const to = isRepeated ? "" : firstMove(on.box.workflow(kept.row.definition), kept.run);
  return to === undefined ? undefined : moveTo(on, { run, to, key, voice: await voiceOf(on, run) });
}

function dataOf({ done, workflow, status }: Begun): RunData {
  return { run: done.run, workflow, state: done.to, status, seq: done.seq, ways: [], choices: [], reads: [] };
}

function detached(begun: Begun): Answer {
  const { run, to, told } = begun.done;
  const next = `signalbox show ${run}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${run} has begun, in ${to}`,
    data: () => dataOf(begun),
    text: () => `${run}\n`,
    next,
    talk: talkOf(told, next),
  };
}

function followed(begun: Begun, { options }: Given, door: Door): Answer {
  const [isJson, isQuiet] = [options["json"] !== undefined, options["quiet"] !== undefined];
  return {
    ...detached(begun),
    // What comes next is said at the end.
    talk: talkOf(begun.done.told, ""),
    stream: (emit, signal) =>
      acting(door, async (on) => {
        // Programs get one document, at the end.
        const each = isJson || isQuiet ? (): void => undefined : emit;
        const end = await follow(on, { run: begun.done.run, from: 0, emit: each, signal });
        emit({ text: isQuiet ? "" : sayEnd(end, door), data: documentOf(begun, end) });
        return end.exit;
      }),
  };
}

function documentOf(begun: Begun, end: Followed): Readonly<Record<string, unknown>> {
  const { exit, code, message, state, status, seq, ways, choices, reads, next } = end;
  const data: RunData = { ...dataOf(begun), state, status, seq, ways, choices, reads };
  return { ok: exit === EXIT_OK, code, message, ...data, next };
}

function sayEnd({ message, choices, reads, next }: Followed, { paint, cwd }: Door): string {
  const read = sayReads(reads, cwd).map((line) => `  ${line}\n`);
  const typed =
    choices.length === 0
      ? `  next: ${next}\n`
      : columns(choices.map(({ command: line, means }) => [`  type: ${line}`, means]));
  return `${paint.bold(message)}\n${read.join("")}${typed}`;
}
