/** A run begins: its name, its parameters, and the move that gets it going. */

import { newRunId } from "../../adapters/home/run-id.ts";
import { UserError } from "../../adapters/user-error.ts";
import { isBlank } from "../../core/text/blank.ts";
import { closest } from "../../core/text/closest.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { startsFor, withDefaults } from "../../core/model/entry.ts";
import { targetOf } from "../../core/gates/gate.ts";
import { isKept, settable } from "../../core/model/param.ts";
import { namedIn, unnamedIn } from "../../core/text/generated-names.ts";
import type { Run } from "../../core/model/run.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Param } from "../../core/model/workflow.ts";
import { why } from "../../core/explain/why.ts";
import { newPin } from "../../engine/pins/pin.ts";
import { begin } from "../../engine/submit/begin.ts";
import type { Submission } from "../../engine/submit/write.ts";
import { voiceOf, type Acting } from "../context.ts";
import { savedEnvironment } from "../runs/environment.ts";
import { databaseOf } from "../runs/find.ts";
import { idOf } from "../runs/name.ts";
import { goalPlace } from "./goal.ts";
import type { Typed } from "./typed-options.ts";
import { textsToBeginWith, type Texts } from "./texts.ts";
import type { Loaded } from "../workflows/load.ts";

const HELP = "signalbox run --help";
const TRIES = 20;

export type Beginning = {
  readonly goal: string;
  readonly loaded: Extract<Loaded, { ok: true }>;
  readonly repo: string;
  readonly base: string;
  /** As settings have them. */
  readonly set: Readonly<Record<string, Literal>>;
  /** As they were typed: these come before settings. */
  readonly params: Typed;
  readonly texts: Texts;
  readonly branch?: string | undefined;
  /** The state it begins in, where it is not the usual one. */
  readonly to?: string | undefined;
  /** The digest of the work that it begins with, where there is some. */
  readonly tree?: string | undefined;
  readonly key?: string | undefined;
};

export async function beginRun(on: Acting, of: Beginning): Promise<Submission & { readonly id: string }> {
  const { goal, loaded, repo, key } = of;
  const id = key === undefined ? await freeId(on) : idOf(repo, key);
  const { params } = loaded.workflow.definition;
  const own = givenParams(loaded.workflow, of)["branch"] ?? params["branch"]?.default;
  const isUnnamed = params["branch"]?.type === "text" && own === "" && of.branch === undefined;
  if (!isUnnamed || isBlank(goal) || (await on.box.store.load(id)) !== undefined) return beginAs(on, of, id);
  const { whileBranchNamed } = await import("../runs/branch.ts");
  return whileBranchNamed(on, { repo, run: id, about: goal }, (branch) =>
    beginAs(on, branch === "" ? of : { ...of, branch }, id),
  );
}

async function beginAs(on: Acting, of: Beginning, id: string): Promise<Submission & { readonly id: string }> {
  const { goal, loaded, repo, base, to, tree, key } = of;
  const { workflow, name } = loaded;
  if (databaseOf(on.door) !== undefined) requireNoPlace(workflow);
  const given = paramsOf(workflow, of, id);
  const voice = await voiceOf(on, id);
  const beginWith = async (params: Record<string, Literal>): Promise<Submission> => {
    // Texts of a run that began before are not read again.
    const isBegun = key !== undefined && (await on.box.store.load(id)) !== undefined;
    const texts = isBegun ? [] : textsToBeginWith(workflow, await textsOf(workflow, params, of.texts));
    return begin(on.box, {
      ...voice,
      pin: await pinFor(on, repo),
      run: id,
      workflow,
      params,
      birth: { workflow: name, goal, repo, base },
      texts,
      ...(to === undefined ? {} : { to }),
      ...(tree === undefined ? {} : { tree }),
      ...(key === undefined ? {} : { key }),
    });
  };
  const { definition } = workflow;
  // Most have nothing to name, and pay nothing for it.
  if ([...unnamedIn(definition, given), ...namedIn(definition, given)].length === 0)
    return { ...(await beginWith(given)), id };
  const { whileNamed } = await import("./unique-names.ts");
  return { ...(await whileNamed(on, { definition, params: given, repo, id }, beginWith)), id };
}

/** Of several machines, each has its own settings: there the worker records what the run is carried out with, before its first process. */
async function pinFor(
  { door, home, who, box: { store } }: Acting,
  repo: string,
): Promise<string | undefined> {
  if (databaseOf(door) !== undefined) return undefined;
  // An agent that makes a run has an environment of its own.
  const env = who.type === "person" ? door.env : savedEnvironment(home);
  if (env === undefined) return undefined;
  const [{ readSettings }, { pinEntries }] = await Promise.all([
    import("../../adapters/config/read.ts"),
    import("../../adapters/config/pins.ts"),
  ]);
  const read = await readSettings({ repo, env, store });
  return newPin({ entries: pinEntries(read), path: env["PATH"] ?? "", notify: read.notify });
}

/** A worker does not have the checkout of a person. */
function requireNoPlace(workflow: Workflow): void {
  if (!workflow.isInPlace) return;
  throw new UserError(
    "in-place",
    `${workflow.definition.title}: this workflow works in your checkout, which workers do not have`,
    "unset SIGNALBOX_DATABASE, and run it on this machine",
  );
}

/** What a person brings, and what their words make where they bring nothing. Most workflows make nothing of them. */
async function textsOf(workflow: Workflow, params: Record<string, Literal>, brought: Texts): Promise<Texts> {
  const { artifacts } = workflow.definition;
  const isMade = Object.values(artifacts).some((each) => each.begin !== undefined);
  if (!isMade || workflow.isInPlace) return brought;
  const { begunTexts } = await import("./initial-texts.ts");
  return [...brought, ...begunTexts(workflow, params, brought)];
}

async function freeId({ box }: Acting): Promise<string> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const id = newRunId();
    if ((await box.store.idsLike(id, 1)).length === 0) return id;
  }
  throw new Error("no name for a run is free");
}

/** As settings have them, then as they were typed. */
export function givenParams(
  { definition }: Workflow,
  of: Pick<Beginning, "set" | "params">,
): Record<string, Literal> {
  const typed = of.params.map(([name, value]) => [name, valueOf(definition.params, name, value)] as const);
  return { ...of.set, ...Object.fromEntries(typed) };
}

function paramsOf(workflow: Workflow, of: Beginning, id: string): Record<string, Literal> {
  const { goal, branch } = of;
  const declared = workflow.definition.params;
  const params: Record<string, Literal> = { ...of.set };
  const place = goalPlace(workflow.definition);
  if (goal !== "" && place !== undefined) params[place] = goal;
  Object.assign(params, givenParams(workflow, { set: {}, params: of.params }));
  if (branch !== undefined) params["branch"] = valueOf(declared, "branch", branch);
  const own = declared["branch"];
  if (own?.type === "text" && (params["branch"] ?? own.default) === "") params["branch"] = `signalbox/${id}`;
  return params;
}

/** What does not fit is refused by the core, with what would. */
function valueOf(declared: Readonly<Record<string, Param>>, name: string, text: string): Literal {
  const param = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (param === undefined) throw unknownParam(name, settable(declared));
  if (isKept(param)) throw keptParam(name, settable(declared));
  if (param.type === "int" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (param.type === "bool" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function unknownParam(name: string, known: readonly string[]): UserError {
  const near = closest(name, known);
  const list = known.length === 0 ? "; it has none" : `; there are ${known.join(", ")}`;
  const hint = near === undefined ? list : `; did you mean "${near}"?`;
  return new UserError("unknown-parameter", `the workflow has no parameter "${name}"${hint}`, HELP);
}

function keptParam(name: string, known: readonly string[]): UserError {
  const list = known.length === 0 ? "none may be set" : `these may be set: ${known.join(", ")}`;
  return new UserError("kept-parameter", `"${name}" is kept by the run itself; ${list}`, HELP);
}

/** With these parameters, usually or in the state that was asked for. */
export type Start = {
  readonly params: Readonly<Record<string, Literal>>;
  readonly to: string | undefined;
};

/** Whether agents are started by the very beginning of a run. */
export function startsAgents(workflow: Workflow, of: Start): boolean {
  const { definition } = workflow;
  const starts = startsFor(workflow, withDefaults(definition, of.params));
  const move = of.to === undefined ? starts[0] : starts.find(({ to }) => to === of.to);
  const actions = [...(move?.do ?? []), ...(definition.states[move?.to ?? ""]?.enter ?? [])];
  return actions.some(
    (action) => action.type.startsWith("start") || (action.type === "tell" && action.orStart !== undefined),
  );
}

/** Where the run waits at once, and one move of a person alone takes a workspace or the place and gets it going. */
export function firstMove(workflow: Workflow, run: Run): string | undefined {
  const { states } = workflow.definition;
  if (states[run.state]?.waits !== true) return undefined;
  const moves = (workflow.movesFrom[run.state] ?? []).filter(
    (move) =>
      move.by.includes("human") &&
      move.answer === undefined &&
      move.reserve.length > 0 &&
      states[targetOf(run, move)]?.final === undefined,
  );
  const targets = [...new Set(moves.map((move) => targetOf(run, move)))];
  const [only, another] = targets;
  if (only === undefined || another !== undefined) return undefined;
  return why(workflow, run).some(({ to, open, by }) => to === only && open && by.includes("human"))
    ? only
    : undefined;
}
