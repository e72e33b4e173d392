/**
 * A run that begins in a stage: the state, what it is given, and the work that it begins with.
 *
 * Nothing is written here but, at the very end, what another run has not committed: whatever a stage lives on is there, and can be
 * used, before a run is made.
 */

import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import {
  isWorkingStage,
  listStartedIn,
  phasesOf,
  startIn,
  unmadeList,
  withDefaults,
} from "../../core/model/entry.ts";
import { isEnabled } from "../../core/projection/stages.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Stage } from "../../core/model/workflow.ts";
import type { Acting } from "../context.ts";
import { EXIT_NOT_YOURS } from "../exit-codes.ts";
import type { Given } from "../invocation.ts";
import { earlierRun, workOfRun, type Before } from "./earlier-run.ts";
import { listFor, type GivenTexts } from "./task-list.ts";
import type { Site } from "./site.ts";
import { stageNamed } from "./typed-options.ts";
import type { Texts } from "./texts.ts";
import { typed } from "./typed-command.ts";

const HELP = "signalbox run --help";

export type Entry = {
  /** The usual one where it is not said. */
  readonly to: string | undefined;
  readonly texts: Texts;
  readonly base: string;
  readonly tree: string | undefined;
  /** What was found and taken. */
  readonly told: readonly string[];
};

export type Asking = {
  readonly given: Given;
  /** As settings and options have them. */
  readonly params: Readonly<Record<string, Literal>>;
  readonly texts: GivenTexts;
};

export async function entryOf(on: Acting, site: Site, of: Asking): Promise<Entry> {
  const { to, stage, plan, from } = of.given.options;
  if (stage === undefined && plan === undefined) {
    if (from !== undefined)
      throw misused("--from goes with --stage: it says whose work that stage begins with");
    return { to, base: site.base, tree: undefined, ...(await usualList(on, site, of)) };
  }
  if (to !== undefined)
    throw misused(`--to and ${stage === undefined ? "--plan" : "--stage"} do not go together`);
  const meant = stageMeant(site, stage);
  const params = withDefaults(site.loaded.workflow.definition, of.params);
  const first = firstState(site, meant, params);
  if (plan !== undefined) requireUse(site, of, { stage: meant, params });
  const list = await listFor(on, site, { ...of, stage: meant.name, needed: first.list });
  const before = first.list === undefined ? stagesBefore(site, meant, params) : [];
  const needed = before.some(({ name }) => isWorkingStage(site.loaded.workflow.definition, name));
  const run =
    needed || from !== undefined
      ? await earlierRun(on, site, { from, before, stage: meant.name, given: of.given })
      : undefined;
  const work = await workFor(on, site, { run, branch: of.given.options["branch"] });
  return { to: first.state, texts: list.texts, ...work, told: [...list.told, ...work.told] };
}

/** A list that is made anew after the run has begun would be written over. */
function requireUse(
  site: Site,
  { given }: Asking,
  of: { readonly stage: Stage; readonly params: Readonly<Record<string, Literal>> },
): void {
  const { definition } = site.loaded.workflow;
  const { stages = [] } = definition;
  const worker = stageMeant(site, undefined);
  const states = phasesOf(definition, worker.name).flatMap((phase) => phase.states);
  const lists = new Set(states.map((state) => listStartedIn(definition, state)));
  const maker = stages
    .slice(stages.indexOf(of.stage))
    .find((stage) => isEnabled(stage, of) && stage.makes.some((name) => lists.has(name)));
  if (maker === undefined) return;
  throw new UserError(
    "bad-usage",
    `${maker.name} makes the list of tasks anew, so --plan is of no use there: it is for ${worker.name}, which works the list off`,
    typed(site.loaded.name, given, ["--stage", worker.name, "--plan", given.options["plan"] ?? ""]),
  );
}

/** Whoever leaves out the stage that makes the list brings one along. */
async function usualList(on: Acting, site: Site, of: Asking): Promise<Pick<Entry, "texts" | "told">> {
  const { definition } = site.loaded.workflow;
  const wanted = unmadeList(definition, withDefaults(definition, of.params));
  // Where it begins is up to them who say so, and whether it ever comes to the list.
  if (wanted === undefined || of.given.options["to"] !== undefined) return { texts: of.texts, told: [] };
  return listFor(on, site, { ...of, stage: wanted.stage, needed: wanted.list });
}

/** That which was named, or the one that works off the list that was given. */
function stageMeant({ loaded: { workflow, name } }: Site, word: string | undefined): Stage {
  const { definition } = workflow;
  const stages = definition.stages ?? [];
  if (word === undefined) {
    const found = stages.find((stage) =>
      phasesOf(definition, stage.name).some(({ states }) =>
        states.some((state) => listStartedIn(definition, state) !== undefined),
      ),
    );
    if (found !== undefined) return found;
    throw misused(`no stage of ${name} works off a list of tasks that --plan could give`);
  }
  const found = stageNamed(workflow, word);
  if (found !== undefined) return found;
  const names = stages.map((stage) => stage.name);
  const near = closest(word.toUpperCase(), names) ?? closest(word, names);
  const list = names.length === 0 ? "it has none" : `there are ${names.join(", ")}`;
  const hint = near === undefined ? list : `did you mean ${near}?`;
  throw new UserError("unknown-stage", `${name} has no stage "${word}"; ${hint}`, HELP);
}

/** The state in which it begins, and the list of tasks that is started there. */
function firstState(
  { loaded: { workflow, name } }: Site,
  stage: Stage,
  params: Readonly<Record<string, Literal>>,
): { readonly state: string; readonly list: string | undefined } {
  const { definition } = workflow;
  if (!isEnabled(stage, { params }))
    throw misused(`${stage.name} is disabled in this run, so it cannot begin there`);
  const move = startIn(workflow, stage.name, params);
  if (move !== undefined) {
    const isList = (artifact: string): boolean => definition.artifacts[artifact]?.reader.type === "tasks";
    return { state: move.to, list: listStartedIn(definition, move.to) ?? move.need.find(isList) };
  }
  const others = (definition.stages ?? []).filter((one) => startIn(workflow, one.name, params) !== undefined);
  const list = others.length === 0 ? "" : `; it can in ${others.map((one) => one.name).join(", ")}`;
  throw new UserError("not-in-map", `a run of ${name} cannot begin in ${stage.name}${list}`, {
    next: HELP,
    exit: EXIT_NOT_YOURS,
  });
}

/** Those of this run, the nearest first. */
function stagesBefore(
  { loaded: { workflow } }: Site,
  stage: Stage,
  params: Readonly<Record<string, Literal>>,
): readonly Stage[] {
  const stages = workflow.definition.stages ?? [];
  return stages
    .slice(0, stages.indexOf(stage))
    .filter((one) => isEnabled(one, { params }))
    .toReversed();
}

/** A run that begins at a later stage is about the work as it is now: its commit and tree are fixed here. */
async function workFor(
  on: Acting,
  { repo, base: head }: Site,
  { run, branch }: { readonly run: Before | undefined; readonly branch: string | undefined },
): Promise<Pick<Entry, "base" | "tree" | "told">> {
  const { env } = on.door;
  const { tipOfBranch, treeOfCommit } = await import("../../adapters/git/repository/branches.ts");
  const own = branch === undefined ? undefined : await tipOfBranch(repo, branch, env);
  if (run !== undefined && own !== undefined)
    throw misused(`the branch ${branch ?? ""} is there already, and has work of its own: name a new one`);
  const { base, told } = run === undefined ? { base: head, told: [] } : await workOfRun(on, run);
  return { base, tree: await treeOfCommit(repo, own ?? base, env), told };
}

function misused(message: string): UserError {
  return new UserError("bad-usage", message, HELP);
}
