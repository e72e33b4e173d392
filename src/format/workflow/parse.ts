/**
 * A workflow file becomes a workflow, or all that is wrong with it at once.
 *
 * What the schema refuses is left out and the rest is still looked at, so that a writer sees every problem in one go.
 */

import { compile, type Workflow } from "../../core/model/compile.ts";
import type { Place } from "../../core/model/workflow.ts";
import { sortProblems, type Problem } from "../problem.ts";
import { loadYaml } from "../yaml.ts";
import { build } from "./build/build.ts";
import type { Prompts } from "./build/builder.ts";
import type { Context, Path } from "./build/context.ts";
import { expand } from "./expand/expand.ts";
import { hashOf } from "./hash.ts";
import { findingsOf, IN_OWN_WORDS, isConsequence, problemOf } from "./schema/issues.ts";
import { lostIn, mend } from "./schema/drop-invalid.ts";
import { checkNames, namesIn } from "./build/names.ts";
import { SCHEMA_VERSION, WorkflowFile } from "./schema/schema.ts";
import { checkStages } from "./expand/stages.ts";

export type Source = { readonly file: string; readonly bytes: Uint8Array; readonly prompts: Prompts };

export type Parsed =
  | { readonly ok: true; readonly workflow: Workflow; readonly helpers: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Places = Pick<Context, "placeOf" | "keyPlaceOf">;

export function parseWorkflow(source: Source): Parsed {
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
  const context: Context = {
    names: namesIn(file, expanded),
    problems,
    isTroubled,
    isLost,
    told: new Set(),
    ...places,
  };
  const around = (paths: readonly Path[]): Place[] =>
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

/** What is wrong with a thing as a whole follows from what is wrong in it. */
function withoutConsequences(
  problems: readonly Problem[],
  causes: readonly Problem[],
  places: readonly Place[],
): Problem[] {
  return problems.filter(
    (problem) =>
      causes.includes(problem) ||
      !places.some(({ line, col }) => line === problem.line && col === problem.col),
  );
}

function wrongVersion(data: unknown, places: Places): Problem | undefined {
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
  readonly places: Places;
  /** Named things in which something is wrong. */
  readonly troubled: readonly Path[];
  readonly isLost: Context["isLost"];
};

function shaped(data: unknown, places: Places): Shaped {
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
