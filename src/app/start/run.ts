/** A run begins as somebody typed it: with its name, its stage, its texts, and what it needs to be there. */

import { UserError } from "../../adapters/user-error.ts";
import type { Literal } from "../../core/model/value.ts";
import { acknowledged, seeThrough, type Acting, type Done } from "../context.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import { freeRunName, idOf, nameParam, requireUnused, runNamed } from "../runs/name.ts";
import { ensureProject } from "../setup/project-row.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { followingFrom } from "../story/follow.ts";
import { textIn } from "../text-input.ts";
import { childWorkflows } from "../workflows/load.ts";
import { beginRun, givenParams, startsAgents } from "./begin.ts";
import { entryOf } from "./entry.ts";
import { requireGoal } from "./goal.ts";
import { requireHarnesses } from "./harnesses.ts";
import { requireTargets } from "./make-targets.ts";
import { getGoing } from "./queue.ts";
import { aboutSandbox } from "./sandbox.ts";
import { siteOf, type Site } from "./site.ts";
import { requireTags } from "./tags.ts";
import { pairsOf } from "./typed-command.ts";
import { aboutValues, withoutStages, withValues, type Typed } from "./typed-options.ts";

const HELP = "signalbox run --help";

/** Begins a run, to be followed. */
export async function run(on: Acting, typed: InputOf<"run">): Promise<Outcome<DataOf<"run">>> {
  const { done, ...more } = await startRun(on, typed);
  return {
    ...success(
      `${done.run} has begun, in ${done.to}`,
      { run: done.run, state: done.to, seq: done.seq, ...more },
      { next: `signalbox show ${done.run}`, notes: done.told },
    ),
    follow: followingFrom(on, done.run, 0),
  };
}

type RunBegun = { readonly done: Done; readonly workflow: string; readonly status: string };

export async function startRun(on: Acting, given: InputOf<"run">): Promise<RunBegun> {
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
    known: given.known,
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
  const unconfined = isNew ? aboutSandbox(on, site.settings) : [];
  if (isNew) await requireAgents(on, site, { params: known, to: entry.to, isLeft });
  if (isNew) await ensureProject({ store: on.box.store, env: on.door.env }, site);
  if (isNew) aboutValues(loaded.workflow, known).forEach((about) => on.door.talk?.print(about));
  const begun = await beginRun(on, { goal, loaded, repo, set, params, branch, key, ...entry });
  const first = acknowledged(begun, begun.id);
  const going = isLeft
    ? { done: undefined, waits: "", told: await seeThrough(on, begun.id) }
    : await getGoing(on, { run: begun.id, key });
  const done = {
    ...(going.done ?? first),
    told: [...told, ...unconfined, ...going.told, ...sayWaits(going.waits)],
  };
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
    option: (param, name) => `--param ${param}=${name}`,
    children: await childWorkflows(workflow, door),
  });
}

function sayWaits(waits: string): readonly string[] {
  return waits === "" ? [] : [`queued: ${waits}`];
}
