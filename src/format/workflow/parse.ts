/**
 * Parses a workflow file into a workflow, or a list of all its problems.
 *
 * Parts that the schema refuses are dropped and the rest is still checked, so that an author sees all problems at once.
 */

import { compile, type Workflow } from "../../core/model/compile.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { sortProblems, type Problem, type Path } from "../problem.ts";
import { loadYaml } from "../yaml.ts";
import { build } from "./build/build.ts";
import { type Prompts, originOf } from "./build/builder.ts";
import { type BuildContext, listOf, report, type Names, type FilePlaces } from "./build/context.ts";
import { expand } from "./expand/expand.ts";
import { hashOf } from "./hash.ts";
import { findingsOf, IN_OWN_WORDS, isConsequence, problemOf } from "./schema/issues.ts";
import { lostIn, mend } from "./schema/drop-invalid.ts";
import { SCHEMA_VERSION, WorkflowFile } from "./schema/schema.ts";
import { checkStages } from "./expand/stages.ts";
import { cyclesIn } from "./phases/site.ts";
import type { Expanded } from "./expand/sink.ts";

export type WorkflowSource = { readonly file: string; readonly bytes: Uint8Array; readonly prompts: Prompts };

export type ParsedWorkflow =
  | { readonly ok: true; readonly workflow: Workflow; readonly helpers: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function parseWorkflow(source: WorkflowSource): ParsedWorkflow {
  const loaded = loadYaml(source.file, source.bytes);
  if (!loaded.ok) return { ok: false, problems: loaded.problems };
  const version = wrongVersion(loaded.data, loaded);
  if (version !== undefined) return { ok: false, problems: [version] };
  const { file, problems, places, troubled, isLost } = shaped(loaded.data, loaded);
  if (file === undefined) return { ok: false, problems: sortProblems(problems) };
  const expanded = expand(file);
  const isTroubled = (path: Path): boolean =>
    troubled.some(
      (other) => other.length === path.length && other.every((part, index) => part === path[index]),
    );
  const context: BuildContext = {
    names: namesIn(file, expanded),
    problems,
    isTroubled,
    isLost,
    told: new Set(),
    ...places,
  };
  const around = (paths: readonly Path[]): SourcePlace[] =>
    paths.flatMap((path) => [places.placeOf(path), places.keyPlaceOf(path)]);
  const ofShape = [...problems];
  const unsound = checkStages(context, file);
  const causes = withoutConsequences(problems, ofShape, around(troubled));
  checkNames(context, expanded);
  const definition = build(context, { file, expanded, prompts: source.prompts });
  const told = withoutConsequences(problems, causes, around([...troubled, ...unsound]));
  if (told.length > 0) return { ok: false, problems: sortProblems(unique(told)) };
  return { ok: true, workflow: compile(definition, hashOf(definition)), helpers: expanded.helpers };
}

/** A problem of a thing as a whole may follow from a problem inside it. */
function withoutConsequences(
  problems: readonly Problem[],
  causes: readonly Problem[],
  places: readonly SourcePlace[],
): Problem[] {
  return problems.filter(
    (problem) =>
      causes.includes(problem) ||
      !places.some(({ line, col }) => line === problem.line && col === problem.col),
  );
}

function wrongVersion(data: unknown, places: FilePlaces): Problem | undefined {
  const schema = typeof data === "object" && data !== null && "$schema" in data ? data.$schema : undefined;
  const place = places.placeOf(["$schema"]);
  const wanted = `workflow-${SCHEMA_VERSION}.schema.json`;
  if (schema === undefined)
    return {
      ...place,
      code: "no-schema",
      message: `the file must say which schema it follows: $schema: ../../schema/${wanted}`,
    };
  const match = /(?:^|\/)workflow-(\d+)\.schema\.json$/.exec(typeof schema === "string" ? schema : "");
  if (match !== null && Number(match[1]) === SCHEMA_VERSION) return undefined;
  const newer = match !== null && Number(match[1]) > SCHEMA_VERSION;
  return {
    ...place,
    code: "wrong-schema",
    message: newer
      ? `this signalbox knows schema version ${SCHEMA_VERSION}; this file needs ${match[1]}: install a newer signalbox`
      : `$schema must end in ${wanted}`,
  };
}

type Shaped = {
  readonly file: WorkflowFile | undefined;
  readonly problems: Problem[];
  readonly places: FilePlaces;
  /** Named things that have a problem. */
  readonly troubled: readonly Path[];
  readonly isLost: BuildContext["isLost"];
};

function shaped(data: unknown, places: FilePlaces): Shaped {
  const first = WorkflowFile.safeParse(data, IN_OWN_WORDS);
  if (first.success) return { file: first.data, problems: [], places, troubled: [], isLost: () => false };
  const findings = findingsOf(WorkflowFile, first.error.issues);
  const problems = findings
    .filter((finding) => !isConsequence(finding, findings))
    .map((finding) => problemOf(finding, places));
  const mended = mend(data, findings);
  const second = WorkflowFile.safeParse(mended.data);
  const file = second.success ? second.data : undefined;
  const troubled = findings.map(({ path }) => path.slice(0, path[0] === "stages" ? 4 : 2));
  return { file, problems, places: mended.places(places), troubled, isLost: lostIn(data, findings) };
}

function unique(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = `${problem.line}:${problem.col}:${problem.message}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

/** The names of a definition, including generated ones. */
function namesIn(file: WorkflowFile, { kernel }: Expanded): Names {
  const ways = Object.values(kernel.asks).flatMap((ask) =>
    Object.values(ask.options).flatMap((option) => [
      option,
      ...(option.ways ?? []),
      ...Object.values(option.routes ?? {}),
    ]),
  );
  const begun = [...kernel.moves, ...ways].flatMap((move) => listOf(move.new));
  const stages = Object.keys(file.stages ?? {});
  return {
    states: new Set(Object.keys(kernel.states)),
    roles: new Set(Object.keys(kernel.roles)),
    artifacts: new Set(Object.keys(kernel.artifacts)),
    counters: new Set(Object.keys(kernel.counters)),
    params: new Set(Object.keys(file.params ?? {})),
    asks: new Set(Object.keys(kernel.asks)),
    stages: new Set(stages),
    statesIn: new Map(stages.map((stage) => [stage, statesIn(kernel, stage)])),
    stopsIn: new Map(
      stages.map((stage) => [stage, statesIn(kernel, stage).filter((state) => isStop(kernel, state))]),
    ),
    scopes: new Set(["run", "entry", ...begun, ...Object.keys(kernel.states), ...stages, ...cyclesIn(file)]),
  };
}

function statesIn({ states }: Expanded["kernel"], stage: string): readonly string[] {
  return Object.keys(states).filter((state) => states[state]?.stage === stage);
}

/** Whether an agent works or a person is asked in the state; a run only passes through other states. */
function isStop({ states }: Expanded["kernel"], name: string): boolean {
  const { enter = [], ask, waits = false } = states[name] ?? {};
  return enter.length > 0 || ask !== undefined || waits;
}

const RESERVED = new Set([
  "start",
  "origin",
  "engine",
  "human",
  "tree",
  "all",
  "next",
  "tasks",
  "run",
  "entry",
]);

/** Also property names that every object has: looking up such a name in a table would return a foreign value. */
function isReserved(name: string): boolean {
  return RESERVED.has(name) || name in Object.prototype;
}

/** Names must be unique: a guard could not distinguish an artifact and a counter of the same name. */
function checkNames(context: BuildContext, expanded: Expanded): void {
  const { names } = context;
  const pathOf = (kind: string, name: string): Path => originOf(expanded, kind, name);
  const seen = new Map<string, string>();
  for (const kind of ["artifacts", "counters", "params"] as const) {
    for (const name of names[kind]) {
      const other = seen.get(name);
      const message = `"${name}" is among the ${other} already`;
      if (other !== undefined)
        report(context, context.keyPlaceOf(pathOf(kind, name)), { code: "name-clash", message });
      seen.set(name, kind);
    }
  }
  for (const kind of ["states", "stages", "roles", "artifacts", "counters", "params"] as const) {
    for (const name of names[kind]) {
      const message = `"${name}" has a meaning of its own; choose another name`;
      if (isReserved(name))
        report(context, context.keyPlaceOf(pathOf(kind, name)), { code: "reserved-name", message });
    }
  }
}
