/**
 * A run is created: it begins, waits for its turn, and is not followed.
 *
 * Everything that could be wrong is checked first: a call that is refused has written nothing.
 */

import { isBranchName } from "../../adapters/git/mirror/names.ts";
import { UserError } from "../../adapters/user-error.ts";
import { isBlank } from "../../core/text/blank.ts";
import { isKept } from "../../core/model/param.ts";
import { START, type Definition } from "../../core/model/workflow.ts";
import type { Store } from "../../engine/ports/store.ts";
import { awaitingIn } from "../../engine/supervise/fact.ts";
import { workflowToCreate } from "../commands/declared.ts";
import { acknowledged, seeThrough, type Acting } from "../context.ts";
import { EXIT_NOT_YOURS } from "../exit-codes.ts";
import { NEEDS_TEXT } from "../failure.ts";
import type { Outcome } from "../outcome.ts";
import { requireBranch, whileUntaken } from "../runs/branch.ts";
import { idOf } from "../runs/name.ts";
import { dependenciesOf } from "../runs/dependencies.ts";
import { projectNamed } from "../setup/project-named.ts";
import { keepProject, projectFor } from "../setup/project-row.ts";
import type { InputOf } from "../schemas.ts";
import { textOfGiven } from "../text-input.ts";
import { isSetAside } from "../view/decision/task-choices.ts";
import { beginRun, givenParams } from "./begin.ts";
import { goalPlace } from "./goal.ts";
import { requireHarnesses } from "./harnesses.ts";
import { getGoing, standInLine } from "./queue.ts";
import { siteOf, type Site } from "./site.ts";
import { begun, type BegunData } from "./start.ts";

const HELP = "signalbox create --help";

/** Parameters that have words or options of their own. */
const PLACED = new Set(["branch", "project"]);

/** A parameter or a text that people choose, and the option that it has. */
export type CreateValue = {
  readonly list: "param" | "with";
  readonly name: string;
  readonly option: string;
  readonly takes: string;
  readonly about: string;
};

/** Texts that only people write begin a run, unless a move or a verb fills them. */
export function createValues(definition: Definition): readonly CreateValue[] {
  const { params, roles, artifacts, moves, verbs = [] } = definition;
  const goal = goalPlace(definition);
  const filled = new Set([...moves.map(({ mark }) => mark?.into), ...verbs.map(({ into }) => into)]);
  const chosen = Object.keys(params).filter((name) => {
    const param = params[name];
    return param !== undefined && !isKept(param) && name !== goal && !PLACED.has(name);
  });
  const written = Object.entries(artifacts).filter(
    ([name, { by, file, each, every }]) =>
      by.join() === "human" && file !== "" && each === undefined && every === undefined && !filled.has(name),
  );
  const harnesses = new Set(
    Object.values(roles).flatMap(({ harness }) => (typeof harness === "object" ? [harness.param] : [])),
  );
  const all: readonly Omit<CreateValue, "option">[] = [
    ...chosen.map((name) => ({
      list: "param" as const,
      name,
      takes: harnesses.has(name) ? "HARNESS" : "VALUE",
      about: `the parameter ${name}`,
    })),
    ...written.map(([name]) => ({
      list: "with" as const,
      name,
      takes: "FILE",
      about: `the ${name}; - for the standard input`,
    })),
  ];
  const named = all.map((value) => ({ ...value, option: value.name.replaceAll("_", "-") }));
  return named.filter(({ option }) => /^[a-z][a-z0-9-]*$/.test(option));
}

export function startsIn({ moves }: Definition): readonly string[] {
  return [...new Set(moves.filter(({ from }) => from === START).map(({ to }) => to))];
}

type Creating = InputOf<"create">;

export async function createRun(on: Acting, asked: Creating): Promise<Outcome<BegunData>> {
  const { store } = on.box;
  const { key, noStart: isLeft = false } = asked;
  const through = on.who.type === "person" ? on.who.through : undefined;
  // Words that hold nothing are a mistake where no branch says what is meant.
  if (
    asked.summary !== undefined &&
    isBlank(asked.summary) &&
    asked.branch === undefined &&
    asked.either !== true
  )
    throw noSummary(undefined);
  const cwd = asked.project === undefined ? on.door.cwd : (await projectNamed(store, asked.project)).repo;
  const workflow = asked.workflow ?? (await workflowToCreate({ ...on.door, cwd }));
  const site = await siteOf(on, workflow, cwd);
  const { loaded, repo } = site;
  const starts = startsOf(site);
  const status = statusOf(asked, starts, workflow);
  const { branch, summary } = await meantBy(on, { repo, asked, status, starts });
  if (through !== undefined) requirePlain(site, { status, starts, summary, through, named: asked.workflow });
  const params = (asked.params ?? []).map(({ name, value }) => [name, value] as const);
  const known = key === undefined ? "" : idOf(repo, key);
  const isNew = known === "" || (await store.load(known)) === undefined;
  if (!isNew && through !== undefined) await requireMaker(on, known);
  const path = isLeft ? undefined : (on.door.env["PATH"] ?? "");
  const dependsOn = await dependenciesOf(on, { given: asked.dependsOn ?? [], repo, run: known });
  if (isNew) {
    requireStart(starts, status);
    requireHarnesses(loaded.workflow, site.settings, {
      params: givenParams(loaded.workflow, { set: site.set, params }),
      path,
      option: (param, name) => `--${param.replaceAll("_", "-")} ${name}`,
    });
    if (branch !== undefined) await requireBranch(on, { repo, branch, run: known });
    await requireWork(on, site, { branch, status });
  }
  // Read before anything is written: a file may be missing.
  const texts = (asked.texts ?? []).map(({ artifact, file }) => {
    const text = textOfGiven(file);
    return { artifact, text: () => text };
  });
  const isAsking = status === undefined && !isLeft && (await areDone(store, dependsOn));
  const isUsual = (status ?? starts.usual) === starts.usual;
  const isUnsaid = isNew && isBlank(summary) && texts.length === 0;
  if (isUnsaid && isUsual && !isAsking) throw noSummary(branch);
  if (
    isUnsaid &&
    branch === undefined &&
    status === undefined &&
    goalPlace(loaded.workflow.definition) !== undefined
  )
    throw new UserError(
      NEEDS_TEXT,
      "the run has no summary: say what is to be done. Nothing was done.",
      'signalbox create "what is to be done"',
    );
  const { isNew: isNewProject, ...project } = await projectFor({ store, env: on.door.env }, site);
  const to = status ?? (summary === "" && isAsking ? starts.asking : undefined);
  const { base, tree } = await workOf(on, site, { defaultBranch: project.defaultBranch, branch, to });
  const beginning = {
    goal: summary,
    loaded,
    repo,
    base,
    set: site.set,
    params: [...params, ...(declares(site, "project") ? [["project", project.name] as const] : [])],
    texts,
    branch,
    to,
    tree,
    key,
  };
  const submission =
    branch === undefined || !isNew
      ? await beginRun(on, beginning)
      : await whileUntaken(on, { repo, branch, run: known }, () => beginRun(on, beginning));
  const { to: state } = acknowledged(submission, submission.id);
  const run = submission.id;
  if (isNewProject) await keepProject(store, project);
  // Also where somebody died after the task was made, and asks again.
  if (dependsOn.length > 0 && (await store.depends(run)).length === 0)
    await store.commit([{ type: "put-depends", run, on: dependsOn }]);
  const isWaiting = !isLeft && state === (await store.load(run))?.run.state;
  if (!isWaiting) return begun(on, run, { waits: "", told: await seeThrough(on, run) });
  // Only a person starts it by hand: whatever an agent makes starts when its turn comes.
  return begun(
    on,
    run,
    through === undefined ? await getGoing(on, { run, key }) : await standInLine(on, run),
  );
}

/** The states that a run can begin in: `usual` is the first, in `asking` its agent asks a person. */
type Starts = {
  readonly all: readonly string[];
  readonly usual: string;
  readonly asking: string | undefined;
  /** A person who begins here answers for the work. */
  readonly finished: string | undefined;
};

function startsOf({ loaded: { workflow } }: Site): Starts {
  const moves = workflow.movesFrom[START] ?? [];
  const all = moves.map(({ to }) => to);
  const asking = all.find((state) => isSetAside({ workflow, run: { state } }));
  const finished = moves.find(({ waive }) => waive.length > 0)?.to;
  return { all, usual: all[0] ?? "", asking, finished };
}

function statusOf(asked: Creating, { finished }: Starts, workflow: string): string | undefined {
  if (asked.finished !== true) return asked.status;
  if (finished === undefined)
    throw new UserError("bad-usage", `a run of ${workflow} cannot begin with finished work`, HELP);
  return finished;
}

/**
 * An agent puts work that is to be done into the queue. That work exists already, or needs no review, is for people to say; and a
 * workflow without a queue would begin at once, with agents and checks of the caller's choice.
 */
function requirePlain(
  { loaded }: Site,
  of: {
    status: string | undefined;
    starts: Starts;
    summary: string;
    through: string;
    named: string | undefined;
  },
): void {
  const { status, starts, summary, through, named } = of;
  const isAsking = status === undefined && summary === "";
  const isUsual = (status ?? starts.usual) === starts.usual;
  const isQueued = awaitingIn(loaded.workflow, starts.usual, "ready-to-start").length > 0;
  if (isUsual && isQueued && !isAsking) return;
  const begins = isUsual ? "begins at once" : `begins in ${status ?? ""}`;
  const what = isAsking ? "a run without a summary" : `a run that ${begins}`;
  throw new UserError("not-a-person", `${what} takes a person, and this is ${through}`, {
    next: isQueued
      ? `signalbox create ${named === undefined ? "" : `--workflow ${named} `}BRANCH "what is to be done"`
      : 'ask a person to create it, or name a workflow with a queue: signalbox create --workflow NAME BRANCH "what is to be done"',
    exit: EXIT_NOT_YOURS,
  });
}

/** A key that a person has used names a run of that person: an agent neither starts it nor says what it depends on. */
async function requireMaker({ box, who }: Acting, run: string): Promise<void> {
  const [first] = await box.store.events(run, 1, 1);
  const by = first?.by;
  if (who.type === "person" && by?.type === "human" && by.name === who.name) return;
  throw new UserError(
    "not-a-person",
    `the key is that of run ${run}, which ${by?.type === "human" ? by.name : "somebody else"} created`,
    { next: `use another key, or look at the run: signalbox show ${run}`, exit: EXIT_NOT_YOURS },
  );
}

type Meant = { readonly branch: string | undefined; readonly summary: string };

/** One word is the summary, unless a branch has that name, or existing work is to be looked at. */
async function meantBy(
  { door }: Acting,
  of: { repo: string; asked: Creating; status: string | undefined; starts: Starts },
): Promise<Meant> {
  const { repo, asked, starts, status = starts.usual } = of;
  const { summary: first = "" } = asked;
  if (asked.either !== true || first === "") return { branch: asked.branch, summary: first };
  // Meant as a branch, and refused as one.
  if (first.startsWith("refs/")) return { branch: first, summary: "" };
  if (!isBranchName(first)) return { branch: undefined, summary: first };
  if (status !== starts.usual && status !== starts.asking) return { branch: first, summary: "" };
  const { tipOfBranch } = await import("../../adapters/git/repository/branches.ts");
  const isBranch = (await tipOfBranch(repo, first, door.env)) !== undefined;
  return isBranch ? { branch: first, summary: "" } : { branch: undefined, summary: first };
}

/** An agent that is started later would have nothing to do. */
function noSummary(branch: string | undefined): UserError {
  const name = branch === undefined ? "" : `${branch} `;
  return new UserError(
    "bad-usage",
    `the run has no summary${branch === undefined ? "" : ` (${branch} is a branch)`}, and nobody could ask you for one when it starts later`,
    `signalbox create ${name}"what is to be done"`,
  );
}

function declares({ loaded }: Site, param: string): boolean {
  return loaded.workflow.definition.params[param]?.type === "text";
}

/** Checked before anything is written; the core decides once more. */
function requireStart({ all }: Starts, status: string | undefined): void {
  if (status === undefined || all.includes(status)) return;
  throw new UserError("not-in-map", `a run cannot begin in "${status}"; it begins in ${all.join(", ")}`, {
    next: HELP,
    exit: EXIT_NOT_YOURS,
  });
}

async function areDone(store: Store, runs: readonly string[]): Promise<boolean> {
  const others = await Promise.all(runs.map((id) => store.load(id)));
  return others.every((kept) => kept?.row.status === "done");
}

/**
 * What a run begins with. Its workspace is made from the project's own branch as it is then, wherever somebody stands now. Whoever
 * brings work answers for that work as it is at this moment, and not for what somebody makes of the branch later.
 */
async function workOf(
  { door }: Acting,
  site: Site,
  of: {
    readonly defaultBranch: string;
    readonly branch: string | undefined;
    readonly to: string | undefined;
  },
): Promise<{ base: string; tree: string | undefined }> {
  const { defaultBranch, branch, to } = of;
  if (defaultBranch === "")
    throw new UserError(
      "no-base",
      `The default branch of ${site.repo} is not known: no branch is checked out there, and none is called main or master.`,
      "signalbox project add --default-branch NAME (update instead of add if it is a project already)",
    );
  if (to === undefined) return { base: "", tree: undefined };
  const { tipOfBranch, treeOfCommit } = await import("../../adapters/git/repository/branches.ts");
  const tip = (name: string): Promise<string | undefined> => tipOfBranch(site.repo, name, door.env);
  const base = (await tip(defaultBranch)) ?? site.base;
  const own = branch === undefined ? undefined : await tip(branch);
  return { base, tree: await treeOfCommit(site.repo, own ?? base, door.env) };
}

/** Whoever is started there would look at nothing, and find nothing wrong with it. */
async function requireWork(
  { door }: Acting,
  { loaded, repo }: Site,
  { branch, status }: { readonly branch: string | undefined; readonly status: string | undefined },
): Promise<void> {
  if (status === undefined || loaded.workflow.definition.states[status]?.waits === true) return;
  const { tipOfBranch } = await import("../../adapters/git/repository/branches.ts");
  if (branch !== undefined && (await tipOfBranch(repo, branch, door.env)) !== undefined) return;
  const missing = branch === undefined ? "" : `, and there is no ${branch}`;
  throw new UserError(
    "no-branch",
    `a run that begins in ${status} needs a branch that is there${missing}`,
    "git branch --list",
  );
}
