/**
 * `signalbox task create`: a task is made, and started as soon as one more agent may work.
 *
 * Everything that could be wrong is looked at first: what is refused has written nothing.
 */

import { isBranchName } from "../../adapters/git/mirror/names.ts";
import { requireMaker } from "../../adapters/person/who.ts";
import { UserError } from "../../adapters/user-error.ts";
import { acknowledged, acting, seeThrough, type Acting } from "../../app/context.ts";
import { EXIT_NOT_YOURS } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import { requireBranch, whileUntaken } from "../../app/runs/branch.ts";
import { dependenciesOf } from "../../app/runs/dependencies.ts";
import { projectNamed } from "../../app/setup/project-named.ts";
import { projectFor } from "../../app/setup/project-row.ts";
import { beginRun } from "../../app/start/begin.ts";
import { getGoing, standInLine } from "../../app/start/queue.ts";
import { idOf } from "../../app/start/run-id.ts";
import { siteOf, type Site } from "../../app/start/site.ts";
import { textIn } from "../../app/text-input.ts";
import { START } from "../../core/model/workflow.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Answer, Command } from "../command.ts";
import { begun } from "./begun.ts";
import { requireHarnesses } from "./harnesses.ts";
import { DEPENDS_ON } from "./options.ts";

/** The workflow that a task is a run of: built in, or the repository's own of this name. */
const WORKFLOW = "task";
/** What a task without a summary begins with: its worker asks. */
const ASKING = "clarification";

/** Options that are parameters of the workflow, too. */
const PARAMS: Readonly<Record<string, string>> = {
  harness: "harness",
  "review-harness": "review_harness",
  effort: "effort",
  "review-effort": "review_effort",
};

export const command: Command = {
  usage: "[BRANCH] [SUMMARY] [--context - | FILE] [--depends-on TASK]... [--no-start]",
  about:
    "Makes a task in this repository and starts it as soon as one more agent may work; prints its id and does not wait.\nOne word is the summary, unless a branch has that name. Without a branch it is signalbox/ID until its worker renames it.\nWithout a summary it begins in clarification: its worker asks. A task that starts later needs a summary.\nAgents that belong to no run may make tasks, too, which start when their turn comes; agents of runs may not.",
  words: { min: 0, max: 2 },
  options: {
    harness: { takes: "NAME", about: "the agent that works" },
    "review-harness": { takes: "NAME", about: "the agent that reviews" },
    effort: { takes: "LEVEL", about: "noted in TASK.md; no program is called with it" },
    "review-effort": { takes: "LEVEL", about: "the same, for the reviewer" },
    context: { takes: "FILE", about: "what the agents must know; - for the standard input" },
    "no-start": { about: "leave it pending until a person starts it" },
    status: {
      takes: "pending|clarification|agent-review|reviewing",
      about: "where it begins: with questions, or with existing work",
    },
    "depends-on": DEPENDS_ON,
    project: { takes: "PROJECT", about: "in this project, instead of the repository that you are in" },
    key: { takes: "KEY", about: "the same key twice makes one task" },
  },
  examples: [
    'signalbox task create "Dates in the export are off by one"',
    'signalbox task create fix-dates "Dates in the export" --context notes.md',
    "signalbox task create fix-dates --status agent-review --review-harness codex",
  ],
  answer: (given, door): Promise<Answer> => acting(door, (on) => create(on, given)),
};

async function create(typed: Acting, given: Given): Promise<Answer> {
  const who = requireMaker(typed.who, typed.door.env, typed.door.procs);
  const on: Acting = { ...typed, who };
  const { store } = on.box;
  const { options } = given;
  const { key, context, project: projectName } = options;
  const cwd = projectName === undefined ? on.door.cwd : projectNamed(store, projectName).repo;
  const site = await siteOf(on, WORKFLOW, cwd);
  const { loaded, repo } = site;
  const { branch, summary } = await meantBy(on, repo, given);
  if (who.through !== undefined) requirePlain(given, summary, who.through);
  const isLeft = options["no-start"] !== undefined;
  const params = paramsOf(given);
  const known = key === undefined ? "" : idOf(repo, key);
  const isNew = known === "" || store.load(known) === undefined;
  const path = isLeft ? undefined : (on.door.env["PATH"] ?? "");
  const dependsOn = dependenciesOf(on, { given: given.lists["depends-on"] ?? [], repo, run: known });
  if (isNew) {
    requireStart(site, options["status"]);
    requireHarnesses(loaded.workflow, site.settings, {
      params: { ...site.set, ...params },
      path,
      option: (param) => `--${param.replaceAll("_", "-")} NAME`,
    });
    if (branch !== undefined) await requireBranch(on, { repo, branch, run: known });
    await requireWork(on, site, { branch, status: options["status"] });
  }
  // Read before anything is written: it may not be there.
  const text = context === undefined ? undefined : textIn(on.door.cwd, context);
  const isAsking = options["status"] === undefined && !isLeft && areDone(store, dependsOn);
  const starting = options["status"] ?? "pending";
  if (isNew && summary === "" && text === undefined && starting === "pending" && !isAsking)
    throw noSummary(branch);
  const { isNew: isNewProject, ...project } = await projectFor({ store, env: on.door.env }, site);
  const to = options["status"] ?? (summary === "" && isAsking ? askingIn(site) : undefined);
  const { base, tree } = await workOf(on, site, { defaultBranch: project.defaultBranch, branch, to });
  const beginning = {
    goal: summary,
    loaded,
    repo,
    base,
    set: site.set,
    params: [
      ...Object.entries(params),
      ...(declares(site, "project") ? [["project", project.name] as const] : []),
    ],
    texts: text === undefined ? [] : [{ artifact: "context", text: () => text }],
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
  if (isNewProject) store.putProject(project);
  // Also where somebody died after the task was made, and asks again.
  if (dependsOn.length > 0 && store.depends(run).length === 0) store.putDepends(run, dependsOn);
  const isWaiting = !isLeft && state === store.load(run)?.run.state;
  if (!isWaiting) return begun(on, run, { waits: "", told: await seeThrough(typed, run) });
  // Only a person starts it by hand: whatever an agent makes starts when its turn comes.
  if (who.through !== undefined) return begun(on, run, await standInLine(typed, run));
  return begun(on, run, await getGoing(on, { run, key }));
}

/** An agent brings work that is to be done. That work is there already, or needs no review, is for people to say. */
function requirePlain({ options }: Given, summary: string, through: string): void {
  const isAsking = options["status"] === undefined && summary === "";
  if ((options["status"] ?? "pending") === "pending" && !isAsking) return;
  const what = isAsking ? "a task without a summary" : `a task that begins in ${options["status"] ?? ""}`;
  throw new UserError("not-a-person", `${what} takes a person, and this is ${through}`, {
    next: 'signalbox task create BRANCH "what is to be done"',
    exit: EXIT_NOT_YOURS,
  });
}

type Meant = { readonly branch: string | undefined; readonly summary: string };

/** One word is the summary, unless a branch has that name, or existing work is to be looked at. */
async function meantBy({ door }: Acting, repo: string, { words, options }: Given): Promise<Meant> {
  const [first, second] = words;
  if (first === undefined) return { branch: undefined, summary: "" };
  if (second !== undefined) return { branch: first === "" ? undefined : first, summary: second };
  // Meant as a branch, and refused as one.
  if (first.startsWith("refs/")) return { branch: first, summary: "" };
  if (!isBranchName(first)) return { branch: undefined, summary: first };
  if (["agent-review", "reviewing"].includes(options["status"] ?? "")) return { branch: first, summary: "" };
  const { tipOfBranch } = await import("../../adapters/git/repository/branches.ts");
  const isBranch = (await tipOfBranch(repo, first, door.env)) !== undefined;
  return isBranch ? { branch: first, summary: "" } : { branch: undefined, summary: first };
}

/** An agent that is started later would have nothing to do. */
function noSummary(branch: string | undefined): UserError {
  const name = branch === undefined ? "" : `${branch} `;
  return new UserError(
    "bad-usage",
    `the task has no summary${branch === undefined ? "" : ` (${branch} is a branch)`}, and nobody could ask you for one when it starts later`,
    `signalbox task create ${name}"what is to be done"`,
  );
}

function paramsOf({ options }: Given): Record<string, string> {
  const given = Object.entries(PARAMS).map(([option, param]) => [param, options[option]] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function declares({ loaded }: Site, param: string): boolean {
  return loaded.workflow.definition.params[param]?.type === "text";
}

/** Looked at before anything is written; the core decides once more. */
function requireStart({ loaded }: Site, status: string | undefined): void {
  if (status === undefined) return;
  const starts = loaded.workflow.movesFrom[START] ?? [];
  if (!starts.some(({ to }) => to === status))
    throw new UserError(
      "not-in-map",
      `a task cannot begin in "${status}"; it begins in ${starts.map(({ to }) => to).join(", ")}`,
      { next: "signalbox task create --help", exit: EXIT_NOT_YOURS },
    );
}

/** Where the workflow can begin with questions. */
function askingIn({ loaded }: Site): string | undefined {
  const starts = loaded.workflow.movesFrom[START] ?? [];
  return starts.some(({ to }) => to === ASKING) ? ASKING : undefined;
}

function areDone(store: Store, runs: readonly string[]): boolean {
  return runs.every((id) => store.load(id)?.row.status === "done");
}

/**
 * What a task begins with. Its workspace is made from the project's own branch as it is then, wherever somebody stands now. Whoever
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
    `a task that begins in ${status} needs a branch that is there${missing}`,
    "git branch --list",
  );
}
