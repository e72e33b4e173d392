/** Builds the core's definition from the expanded file. Looks up every name; an unknown name is a problem with a position. */

import type { Path } from "../../problem.ts";
import type {
  Assertion,
  Definition,
  SourcePlace,
  Role,
  State,
  Input,
  DataTree,
} from "../../../core/model/workflow.ts";
import { buildArchive, checkArchive } from "../artifacts/archive.ts";
import { buildArtifact } from "../artifacts/artifact.ts";
import {
  buildActions,
  insideOf,
  mapValues,
  originOf,
  usePrompt,
  type Build,
  type Prompts,
} from "./builder.ts";
import { buildRoleContext, checkPlaces, checkSettings, checkTags } from "./role-context.ts";
import { buildCommands, buildVerbs } from "./verbs.ts";
import { buildConditions } from "./conditions.ts";
import { listOf, report, requireName, type BuildContext } from "./context.ts";
import { answerMoves, buildAsk, buildEnd, buildMove } from "./moves.ts";
import { buildParam, paramOr } from "./params.ts";
import { buildProjections, withShown } from "../artifacts/projections.ts";
import { checkPromptWords, checkUnused } from "../rules/unused.ts";
import { checkRelations } from "../rules/relations.ts";
import type { WhenFile, WorkflowFile } from "../schema/schema.ts";
import type { Expanded } from "../expand/sink.ts";
import { buildStages, leadPast } from "../expand/skip.ts";
import { checkFile } from "../artifacts/paths.ts";
import { checkPaths } from "../artifacts/projection-paths.ts";
import { present } from "../../present.ts";

/** If the workflow sets no limit, the person's settings do. */
const UNSAID_MINUTES = 0;

type BuildInput = { readonly file: WorkflowFile; readonly expanded: Expanded; readonly prompts: Prompts };

export function build(context: BuildContext, { file, expanded, prompts }: BuildInput): Definition {
  const { kernel } = expanded;
  const params = mapValues(file.params ?? {}, (param, name) => buildParam(context, param, ["params", name]));
  checkSettings(context, params);
  const artifacts = mapValues(kernel.artifacts, (artifact, name) =>
    buildArtifact({ context, params }, artifact, {
      name,
      path: originOf(expanded, "artifacts", name),
      inside: insideOf(expanded, "artifacts", name),
    }),
  );
  const declared = { artifacts, params };
  const all: Build = { context, file, expanded, prompts, declared, used: new Set(), begun: [], named: [] };
  const stages = buildStages(all);
  const projections = buildProjections(context, file, artifacts);
  const definition: Definition = {
    name: file.name,
    title: file.title,
    params,
    counters: mapValues(kernel.counters, (counter, name) => buildCounter(all, counter, name)),
    artifacts: withShown(artifacts, projections),
    roles: mapValues(kernel.roles, (role, name) => buildRole(all, role, name)),
    states: mapValues(kernel.states, (state, name) => buildState(all, state, name)),
    ...(stages.length === 0 ? {} : { stages }),
    moves: leadPast(all, stages, [
      ...kernel.moves.flatMap((move, index) => buildMove(all, move, originOf(expanded, "moves", index))),
      ...answerMoves(all),
    ]),
    ends: kernel.ends.flatMap((end, index) => buildEnd(all, end, originOf(expanded, "ends", index))),
    asks: mapValues(kernel.asks, (ask, name) => buildAsk(all, ask, name)),
    prompts: {},
    assertions: (file.assert ?? []).map((assertion, index) =>
      buildAssertion(all, assertion, ["assert", index]),
    ),
    projections,
    ...(file.archive === undefined ? {} : { archive: buildArchive(all, file.archive) }),
    places: placesOf(all),
  };
  const verbs = buildVerbs(all, definition);
  const commands = buildCommands(all, definition);
  checkRelations(context, definition, (kind, name) => originOf(expanded, kind, name));
  checkPlaces(all);
  checkTags(all, definition);
  checkPromptWords(all, definition);
  checkArchive(all, definition);
  if (context.problems.length === 0) checkUnused(all, definition);
  return {
    ...definition,
    ...(verbs.length === 0 ? {} : { verbs }),
    ...(Object.keys(commands).length === 0 ? {} : { commands }),
    prompts: Object.fromEntries(
      [...all.used].sort().flatMap((name) => (prompts[name] === undefined ? [] : [[name, prompts[name]]])),
    ),
  };
}

function placesOf({ context, expanded, file }: Build): Record<string, SourcePlace> {
  const { kernel } = expanded;
  const places: Record<string, SourcePlace> = {};
  for (const name of Object.keys(file.commands ?? {}))
    places[`commands.${name}`] = context.keyPlaceOf(["commands", name]);
  for (const kind of ["states", "artifacts", "counters", "roles", "asks"] as const) {
    for (const name of Object.keys(kernel[kind]))
      places[`${kind}.${name}`] = context.keyPlaceOf(originOf(expanded, kind, name));
  }
  return places;
}

function buildCounter(
  on: Build,
  counter: { max: number | string; per?: string | undefined },
  name: string,
): Definition["counters"][string] {
  const { context } = on;
  const path = originOf(on.expanded, "counters", name);
  const per = counter.per ?? "run";
  requireName(context, { kind: "scope", name: per, path: [...path, "per"] });
  const max = paramOr(valuesOf(on), counter.max, {
    as: "int",
    path: [...insideOf(on.expanded, "counters", name), "max"],
    code: "bad-counter",
  });
  return { max: typeof max === "object" ? max : Number(max), per };
}

function valuesOf({ context, declared }: Build): { context: BuildContext; params: Definition["params"] } {
  return { context, params: declared.params };
}

function buildRole(on: Build, role: NonNullable<WorkflowFile["roles"]>[string], name: string): Role {
  const path: Path = ["roles", name];
  const prompt = role.prompt ?? name;
  const again = role.again ?? prompt;
  if (!on.context.isTroubled(path)) {
    const { context } = on;
    const isNamed = role.prompt !== undefined;
    usePrompt(on, prompt, isNamed ? context.placeOf([...path, "prompt"]) : context.keyPlaceOf(path));
    if (again !== prompt) usePrompt(on, again, context.placeOf([...path, "again"]));
  }
  requireName(on.context, { kind: "artifact", name: role.earlier, path: [...path, "earlier"] });
  const values = valuesOf(on);
  const minutes = paramOr(values, role.minutes ?? UNSAID_MINUTES, { as: "int", path: [...path, "minutes"] });
  const stall = paramOr(values, role.stall ?? UNSAID_MINUTES, { as: "int", path: [...path, "stall"] });
  return {
    session: role.session ?? "fresh",
    access: role.access ?? "write",
    prompt,
    again,
    harness: paramOr(values, role.harness ?? "", { as: "text", path: [...path, "harness"] }),
    model: paramOr(values, role.model ?? "", { as: "text", path: [...path, "model"] }),
    ...(role.effort === undefined
      ? {}
      : { effort: paramOr(values, role.effort, { as: "text", path: [...path, "effort"] }) }),
    minutes: typeof minutes === "object" ? minutes : Number(minutes),
    stallMinutes: typeof stall === "object" ? stall : Number(stall),
    ...buildRoleContext(on.context, role.context, [...path, "context"]),
    ...(role.earlier === undefined ? {} : { earlier: listOf(role.earlier) }),
    ...(role.input === undefined ? {} : { input: buildInput(on, role.input, name) }),
  };
}

function buildState(on: Build, state: WorkflowFile["states"][string], name: string): State {
  const path = originOf(on.expanded, "states", name);
  requireName(on.context, { kind: "ask", name: state.ask, path: [...path, "ask"] });
  for (const key of ["waits", "ask"] as const)
    if (state.final !== undefined && state[key] !== undefined && state[key] !== false)
      report(on.context, on.context.keyPlaceOf([...path, key]), {
        code: "bad-state",
        message: `"${key}" means nothing in a final state: the run is over here`,
      });
  return {
    ...present({ final: state.final, stage: state.stage, phase: state.phase, ask: state.ask }),
    waits: state.waits ?? state.ask !== undefined,
    title: state.title ?? "",
    enter: buildActions(on, state.enter, [...path, "enter"]),
  };
}

type AssertionFile = NonNullable<WorkflowFile["assert"]>[number];
type AssertionClaim = Extract<AssertionFile, { never: unknown }>["never"];

function claimOf(assertion: AssertionFile): [Assertion["type"], AssertionClaim] {
  if ("never" in assertion) return ["never", assertion.never];
  return "always" in assertion ? ["always", assertion.always] : ["eventually", assertion.eventually];
}

function buildAssertion(on: Build, assertion: AssertionFile, path: Path): Assertion {
  const [type, claim] = claimOf(assertion);
  requireName(on.context, { kind: "state", name: claim.in, path: [...path, type, "in"] });
  const anyOf = (key: "when" | "unless"): Assertion["when"] =>
    listOf<WhenFile>(claim[key]).map((when, index) =>
      buildConditions(
        on,
        when,
        Array.isArray(claim[key]) ? [...path, type, key, index] : [...path, type, key],
      ),
    );
  return {
    type,
    in: listOf(claim.in),
    when: anyOf("when"),
    unless: anyOf("unless"),
    text: JSON.stringify(assertion),
    at: on.context.placeOf(path),
  };
}

/** The input file of a role: a file with no other author, one for each member of a fan-out. */
function buildInput(
  { context, file: whole, declared }: Build,
  { file, data }: { readonly file: string; readonly data: Readonly<Record<string, unknown>> },
  role: string,
): Input {
  const path: Path = ["roles", role, "input", "file"];
  const own = Object.values(declared.artifacts).filter(({ by }) => by.includes(role));
  const isEach = own.some(({ each }) => each !== undefined);
  checkFile(context, file, { path, isEach });
  const objection = objectionTo();
  if (objection !== undefined)
    report(context, context.placeOf(path), { code: "bad-projection", message: objection });
  // YAML without tags contains only literals, lists and maps, which is what a tree consists of.
  const tree = data as DataTree;
  checkPaths({ context, artifacts: declared.artifacts }, tree, ["roles", role, "input", "data"]);
  return { file, data: tree };

  function objectionTo(): string | undefined {
    const [artifact] = Object.entries(declared.artifacts).find((each) => each[1].file === file) ?? [];
    if (artifact !== undefined) return `${file} is ${artifact} already: the one would undo the other`;
    if ((whole.projection ?? []).some((each) => each.file === file))
      return `${file} shows the run already: the one would undo the other`;
    if (isEach && !file.includes("{slot}"))
      return `${role} is one of several: its file needs {slot}, so that each has its own`;
    return undefined;
  }
}
