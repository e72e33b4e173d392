/** `signalbox run`: a run begins, and whoever began it may follow it. */

import { requirePerson } from "../../../adapters/person/who.ts";
import { UserError } from "../../../adapters/user-error.ts";
import type { Literal } from "../../../core/model/value.ts";
import { acknowledged, acting, seeThrough, type Acting, type Done } from "../../../app/context.ts";
import { talkOf } from "../../acted.ts";
import { GLOBAL } from "../../arguments.ts";
import { beginRun, givenParams, startsAgents } from "../../../app/start/begin.ts";
import { idOf } from "../../../app/start/run-id.ts";
import { childWorkflows } from "../../../app/workflows/load.ts";
import { EXIT_CONFLICT, EXIT_OK, EXIT_WAITING } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import type { Emit } from "../../../app/outcome.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { entryOf } from "../../../app/start/entry.ts";
import { wrapped } from "../../fit.ts";
import { follow, type Followed } from "../../../app/story/follow.ts";
import { requireGoal } from "../../../app/start/goal.ts";
import { requireHarnesses } from "../../../app/start/harnesses.ts";
import { getGoing } from "../../../app/start/queue.ts";
import { textIn } from "../../../app/text-input.ts";
import { seenOf } from "../../../app/runs/load.ts";
import { ensureProject } from "../../../app/setup/project-row.ts";
import { causeOf } from "../../../app/view/decision/cause.ts";
import type { Choice } from "../../../app/view/decision/choices.ts";
import type { Read } from "../../../app/view/decision/question.ts";
import { HANGING, sayEnd } from "../../render/follow.ts";
import { withoutStages, type Typed } from "../../../app/start/stages.ts";
import { freeRunName, nameParam, requireUnused, runNamed } from "../../../app/runs/name.ts";
import { siteOf, type Site } from "../../../app/start/site.ts";
import { pairsOf } from "../../../app/start/typed-command.ts";
import { requireTags } from "../../../app/start/tags.ts";
import { requireTargets } from "../../../app/start/make-targets.ts";
import { tellAbout, withValues } from "../../values.ts";

const HELP = "signalbox run --help";

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
  usage:
    "WORKFLOW [GOAL] [--param NAME=VALUE]... [--with ARTIFACT=FILE]... [--no-STAGE]... [--VALUE]... [--detach]",
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
    "no-STAGE": {
      about:
        "leave out a stage that can be disabled, by its name in lower case: --no-test; may be given several times",
    },
    to: { takes: "STATE", about: "begin in this state" },
    stage: {
      takes: "STAGE",
      about: "begin in this stage, with what it lives on: a list of tasks, or the work of an earlier run",
    },
    plan: { takes: "FILE", about: "the list of tasks that a stage works off; the run begins there" },
    from: {
      takes: "RUN",
      about: "with --stage: whose work it goes on with; the newest that fits unless given",
    },
    branch: { takes: "NAME", about: "the branch that the work is done on" },
    "no-start": { about: "do not ask for the first move" },
    detach: { about: "print its id and do not follow", short: "d" },
    key: { takes: "KEY", about: "the same key twice begins one run" },
    VALUE: {
      about: "a word that one parameter can be: --lean is --param mode=lean; may be given several times",
    },
  },
  examples: [
    'signalbox run task "Dates in the export are off by one"',
    "signalbox run task --with context=notes.md --detach",
    'signalbox run mine "Rate limits" --plan plan.md --no-test',
    "signalbox run mine --stage TEST --from k3d9",
  ],
  answer: async (given, door): Promise<Answer> => {
    const begun = await acting(door, (on) => startRun(on, given));
    return given.options["detach"] === undefined ? followed(begun, given, door) : detached(begun);
  },
};

type Begun = { readonly done: Done; readonly workflow: string; readonly status: string };

/** As `run` begins one with these words and options. */
export async function startRun(on: Acting, given: Given): Promise<Begun> {
  requirePerson(on.who);
  const { options } = given;
  const { branch } = options;
  const [wanted = "", goal = ""] = given.words;
  const site = await siteOf(on, wanted, on.door.cwd);
  const { loaded, repo, set } = site;
  const texts = pairsOf(given, "with", HELP).map(([artifact, file]) => ({
    artifact,
    file,
    text: () => textIn(on.door.cwd, file),
  }));
  const typed = withValues(loaded.workflow, given.lists["VALUE"] ?? [], {
    typed: withoutStages(loaded.workflow, given.lists["no-STAGE"] ?? [], pairsOf(given, "param", HELP)),
    known: { ...GLOBAL, ...command.options },
  });
  const { params, key } = await named(on, site, { typed, goal, key: options["key"] });
  const isNew = key === undefined || (await on.box.store.load(idOf(repo, key))) === undefined;
  const known = givenParams(loaded.workflow, { set, params });
  if (isNew) requireGoal(loaded.workflow.definition, given, known);
  const { told, ...entry } = isNew
    ? await entryOf(on, site, { given, params: known, texts })
    : { to: undefined, texts, base: site.base, tree: undefined, told: [] };
  const isLeft = entry.to !== undefined || options["no-start"] !== undefined;
  if (isNew) requireTags(loaded.workflow.definition, known, repo);
  if (isNew) requireTargets(loaded.workflow.definition, known, site.tree);
  if (isNew) await requireAgents(on, site, { params: known, to: entry.to, isLeft });
  if (isNew) await ensureProject({ store: on.box.store, env: on.door.env }, site);
  if (isNew) tellAbout(on.door, loaded.workflow, known);
  const begun = await beginRun(on, { goal, loaded, repo, set, params, branch, key, ...entry });
  const first = acknowledged(begun, begun.id);
  const going = isLeft
    ? { done: undefined, waits: "", told: await seeThrough(on, begun.id) }
    : await getGoing(on, { run: begun.id, key });
  const done = { ...(going.done ?? first), told: [...told, ...going.told, ...sayWaits(going.waits)] };
  const { final, waits } = loaded.workflow.definition.states[done.to] ?? { waits: false };
  return { done, workflow: loaded.name, status: final ?? (waits ? "waiting" : "running") };
}

type Naming = { readonly typed: Typed; readonly goal: string; readonly key: string | undefined };

/** A run that has a name begins under it, so that the name leads to it. Without one, the goal makes a name. */
async function named(
  { box: { store } }: Acting,
  { loaded, repo }: Site,
  of: Naming,
): Promise<{ params: Typed; key: string | undefined }> {
  const { definition } = loaded.workflow;
  const param = nameParam(definition);
  if (param === undefined || of.key !== undefined) return { params: of.typed, key: of.key };
  const place = { repo, workflow: loaded.name };
  const typed = of.typed.findLast(([name]) => name === param)?.[1];
  const name = typed ?? (await freeRunName(store, place, of.goal));
  const { key, kept } = await runNamed(store, { ...place, name });
  if (kept !== undefined)
    throw new UserError("name-taken", `${name} is a run already, in ${kept.run.state}`, {
      next: `signalbox show ${name}`,
      exit: EXIT_CONFLICT,
    });
  requireUnused(definition, param, { ...place, name });
  return { params: typed === undefined ? [...of.typed, [param, name]] : of.typed, key };
}

/** A program must be installed unless no agent is started before a person asks for it. */
async function requireAgents(
  { door }: Acting,
  { loaded: { workflow }, settings }: Site,
  of: {
    readonly params: Readonly<Record<string, Literal>>;
    readonly to: string | undefined;
    readonly isLeft: boolean;
  },
): Promise<void> {
  const isLater = of.isLeft && !startsAgents(workflow, of);
  requireHarnesses(workflow, settings, {
    params: of.params,
    path: isLater ? undefined : (door.env["PATH"] ?? ""),
    option: (param) => `--param ${param}=NAME`,
    children: await childWorkflows(workflow, door),
  });
}

function sayWaits(waits: string): readonly string[] {
  return waits === "" ? [] : [`queued: ${waits}`];
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
        const each: Emit =
          isJson || isQuiet
            ? () => undefined
            : (piece) => emit({ ...piece, text: wrapped(piece.text, door.width, HANGING) });
        const end = await follow(on, { run: begun.done.run, from: 0, emit: each, signal });
        const cause = end.exit === EXIT_WAITING ? await causeOf(await seenOf(on, end.asking.run)) : [];
        emit({ text: isQuiet ? "" : sayEnd({ ...end, cause }, door), data: documentOf(begun, end) });
        return end.exit;
      }),
  };
}

function documentOf(begun: Begun, end: Followed): Readonly<Record<string, unknown>> {
  const { exit, code, message, state, status, seq, ways, choices, reads, next } = end;
  const data: RunData = { ...dataOf(begun), state, status, seq, ways, choices, reads };
  return { ok: exit === EXIT_OK, code, message, ...data, next };
}
